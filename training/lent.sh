#!/usr/bin/env bash
# Everything on a lent machine with nobody waiting: the tutor goes on learning; it judges what it was not taught while the
# writer learns and writes (a learning tutor leaves no room on the card beside it), then what was written; then its pupils learn,
# and the re-ranker where up5 holds its questions.
#   setsid nohup env FRESH="rules letters" TUTOR=6 LEARN=1 WRITE=2.5 ACCURATE=8 FAST=5 RANK=4 bash training/lent.sh > lent.log 2>&1 &
# Minutes each (FAST=0: none); REST: layers after which the accurate one's sources rest, left out: none.
# training/work/done/NAME says that NAME is ready; its parts of 15 MB lie beside the weights. Whoever fetches them waits
# for that file first: what is not fetched when the machine goes back is lost.
set -uo pipefail
work=training/work; export PYTHONPATH=src:$PWD/$work/up1/site
mkdir -p $work/base/minilm $work/base/mpnet $work/lessons $work/reader $work/done
cp $work/up1/{train,written,held}.npz $work/up4/*_reader.npz $work/lessons/
cp $work/up4/index.json $work/reader/
cat $work/r/*/part-* > $work/reader/part-00.bin
python -m training.pack grow $work/up1/minilm.npz $work/base/minilm/model.safetensors &
python -m training.pack grow $work/up2/mpnet-1.npz $work/up3/mpnet-2.npz $work/base/mpnet/model.safetensors &
python -m training.tutor --model $work/reader --lessons $work/lessons --adapter $work/up4/adapter.gguf --fresh ${FRESH:-} \
  --minutes "${TUTOR:-6}" --workers 6 --out $work/tutor > $work/tutor.log 2>&1
(cd $work/tutor && split -b 15M -d adapter.safetensors a-); touch $work/done/tutor
python -m training.writer --model $work/reader --lessons $work/lessons --words $work/up4/words --minutes "${LEARN:-1}" \
  --writes "${WRITE:-2.5}" --rows 768 --workers 4 --out $work/more > $work/writer.log 2>&1 &
writer=$!
python -m training.tutor --model $work/reader --lessons $work/lessons --adapter $work/tutor/adapter.safetensors --minutes 0 \
  --judge train --out $work/verdicts > $work/verdicts.log 2>&1
wait $writer; touch $work/done/writer
python -m training.tutor --model $work/reader --lessons $work/lessons --adapter $work/tutor/adapter.safetensors --minutes 0 \
  --judge $work/more/more_reader.npz --out $work/verdicts > $work/verdicts2.log 2>&1
touch $work/done/verdicts
taught=(); [[ -f $work/verdicts/train-tutor.npz ]] && taught=(--tutor $work/verdicts/train-tutor.npz)
[[ -f $work/verdicts/more-tutor.npz ]] && taught+=(--more $work/more/more.npz $work/verdicts/more-tutor.npz)
python -m training.teach --base mpnet --keep 0,1,2,3,4,5,6,7,8,9 ${REST:+--rest $REST} --start $work/base/mpnet/model.safetensors \
  --lessons $work/lessons "${taught[@]}" --minutes "${ACCURATE:-8}" --rate 6e-5 --workers 7 --out $work/acc > $work/acc.log 2>&1 &
accurate=$!
[[ "${FAST:-5}" == 0 ]] || python -m training.teach --base minilm --rest 2 --start $work/base/minilm/model.safetensors --lessons $work/lessons \
  "${taught[@]}" --minutes "${FAST:-5}" --rate 2e-4 --tokens 24576 --workers 6 --out $work/fast > $work/fast.log 2>&1
[[ -d $work/fast ]] && (cd $work/fast && split -b 15M -d model.safetensors m-); touch $work/done/fast
if [[ -f $work/up5/rank.npz ]]; then
  python -m training.rank teach --data $work/up5/rank.npz --start $work/base/minilm/model.safetensors \
    --minutes "${RANK:-4}" --batch 64 --out $work/rank > $work/rank.log 2>&1
  (cd $work/rank && split -b 15M -d model.safetensors m-); touch $work/done/rank
fi
wait $accurate
python -m training.pack shrink $work/acc/model.safetensors $work/acc/p1.npz $work/acc/p2.npz
(cd $work/acc && for part in p1 p2; do split -b 15M -d $part.npz $part-; done); touch $work/done/acc
