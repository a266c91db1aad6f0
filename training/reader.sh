#!/usr/bin/env bash
# A reader taught on a lent machine in one command, so that nobody has to come back in time:
#   here:  python -m training.lessons --bench BENCH --reader MODEL.gguf --out training/work/lessons
#          python -m training.borrow MODEL.gguf --layers 24 --data training/work/lessons/*_reader.npz --out training/work/reader
#          bash training/reader.sh pack
#   send training/work/up1, then training/work/r/p0, p1, … one by one (each under 60 MB), the last one with:
#   there: OUT=FOLDER bash training/reader.sh teach --minutes 8.6 --rate 3e-4 --rank 32 --compile --workers 12
# What was learned lies in $OUT in parts of 12 MB as soon as it is there, the scores of the development rows after that.
set -uo pipefail
work=training/work
case ${1:?pack or teach} in
  pack)
    rm -rf $work/up1 $work/r; mkdir -p $work/up1/site $work/r
    site=$(python -c "import gguf, os; print(os.path.dirname(os.path.dirname(gguf.__file__)))")
    cp -r "$site/gguf" "$site/yaml" $work/up1/site/
    find $work/up1/site -name __pycache__ -prune -exec rm -rf {} +
    cp $work/lessons/*_reader.npz $work/reader/index.json $work/up1/
    for part in $work/reader/part-*.bin; do
      number=${part##*-}; mkdir -p "$work/r/p${number%.bin}"; cp "$part" "$work/r/p${number%.bin}/"
    done
    du -sh $work/up1 $work/r/* ;;
  teach)
    shift; export PYTHONPATH=src:$PWD/$work/up1/site
    rm -rf $work/reader $work/taught; mkdir -p $work/reader $work/lessons $work/taught
    mv $work/r/p*/part-* $work/reader/; cp $work/up1/index.json $work/reader/; cp $work/up1/*_reader.npz $work/lessons/
    setsid python -m training.tutor --model $work/reader --lessons $work/lessons --out $work/taught "$@" > "$OUT/log" 2>&1 &
    tutor=$!
    until [[ -s $work/taught/adapter.safetensors ]] || ! kill -0 $tutor 2> /dev/null; do sleep 0.5; done
    sleep 1; split -b 12M -d $work/taught/adapter.safetensors "$OUT/a-"
    wait $tutor; cp $work/taught/*.npz "$OUT/"; tail -c 4000 "$OUT/log" ;;
esac
