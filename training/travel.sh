#!/usr/bin/env bash
# Packs what a lent machine needs into folders small enough to travel one by one (each under 60 MB):
#   bash training/travel.sh LANGUAGE_MODEL.gguf BENCH
# Leaves training/work/up1 … up5 and training/work/r/p00 …; send each, then run training/lent.sh there.
set -euo pipefail
model=${1:?the language model, a GGUF file} bench=${2:?the bench folder}
work=training/work; export PYTHONPATH=src:models
python -m training.weights
python -m training.lessons --bench "$bench" --reader "$model" --out $work/lessons
python -m training.borrow "$model" --data $work/lessons/*_reader.npz --out $work/reader
rm -rf $work/up? $work/r
mkdir -p $work/up1/site $work/up2 $work/up3 $work/up4/words $work/up5 $work/r
python -m training.pack shrink $work/base/minilm/model.safetensors $work/up1/minilm.npz
python -m training.pack shrink $work/base/mpnet/model.safetensors $work/up2/mpnet-1.npz $work/up3/mpnet-2.npz
site=$(python -c "import gguf, os; print(os.path.dirname(os.path.dirname(gguf.__file__)))")
cp -r "$site/gguf" "$site/yaml" $work/up1/site/
find $work/up1/site -name __pycache__ -prune -exec rm -rf {} +
cp $work/lessons/{train,written,held}.npz $work/up1/
cp $work/lessons/*_reader.npz $work/reader/index.json models/surefoot_models/grounder_thorough/adapter.gguf $work/up4/
python -m training.rank build --bench "$bench" --out $work/up5/rank.npz
cp $work/base/minilm/tokenizer.json $work/up4/words/pupil.json
python -c "import sys; from pathlib import Path; from training.borrow import tokenizer; tokenizer(Path(sys.argv[1])).save(sys.argv[2], pretty=False)" \
  "$model" $work/up4/words/reader.json
cat $work/reader/part-*.bin | split -b 52M -d - $work/r/x-
for file in $work/r/x-*; do mkdir -p "$work/r/p${file##*-}"; mv "$file" "$work/r/p${file##*-}/part-${file##*-}"; done
du -sh $work/up? $work/r/p*
