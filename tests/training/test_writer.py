"""The model that writes claims for the tutor: what it keeps of what it read, and what is kept of what it writes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs torch: pip install torch==2.13.0")
pytest.importorskip("gguf", reason="training needs gguf")

from tokenizers import Tokenizer  # noqa: E402
from tokenizers.models import WordLevel  # noqa: E402
from tokenizers.pre_tokenizers import Whitespace  # noqa: E402
from training.language import Decoder, DecoderShape  # noqa: E402
from training.lessons import Lesson, Statement, save  # noqa: E402
from training.teach import Lessons  # noqa: E402
from training.writer import Speaker, read_page, write  # noqa: E402
from training.writer import save as save_written  # noqa: E402

WORDS = "the shop opens at nine ten on sunday closes it is".split()


def decoder() -> Decoder:
    torch.manual_seed(1)
    made = Decoder(DecoderShape(words=40, hidden=32, inner=48, layers=3, heads=4, shared_heads=2))
    return made.eval()


def test_what_was_read_is_kept_for_every_row_at_its_own_place() -> None:
    made = decoder()
    prompts, further = [[3, 4, 5, 6, 7], [8, 9]], [[11, 12, 13], [14, 15, 16]]
    speaker = Speaker(made, 2, 10, "cpu")
    with torch.no_grad():
        speaker.read(torch.tensor([prompts[0], [*prompts[1], 0, 0, 0]]), 0)
        for step in range(3):
            place = torch.tensor([len(p) + step for p in prompts])
            states = speaker.next(torch.tensor([f[step] for f in further]), place, 5 + step + 1)
        for at in range(2):
            whole = made(torch.tensor([prompts[at] + further[at]]))[0, -1]
            assert torch.allclose(states[at], whole, atol=1e-5)


def test_rows_that_go_on_alone_write_what_they_would_have_written() -> None:
    made = decoder()
    prompts = [[3, 4, 5], [6, 7, 8], [9, 10, 11]]
    both, alone = Speaker(made, 3, 8, "cpu"), Speaker(made, 3, 8, "cpu")
    with torch.no_grad():
        for speaker in (both, alone):
            speaker.read(torch.tensor(prompts), 0)
        alone.keep(torch.tensor([0, 2]))
        whole = both.next(torch.tensor([12, 13, 14]), torch.tensor([3, 3, 3]), 4)
        kept = alone.next(torch.tensor([12, 14]), torch.tensor([3, 3]), 4)
    assert torch.allclose(kept, whole[[0, 2]], atol=1e-6)


def test_a_row_ends_where_it_ends_and_the_others_go_on() -> None:
    made = decoder()
    made.words.weight.data *= 0.01  # every piece is nearly as likely as any other
    torch.manual_seed(2)
    rows = write(made, [[3, 4, 5], [6, 7], [8]] * 8, end=1, device="cpu", long=40)
    assert len(rows) == 24
    assert all(1 not in row for row in rows)
    assert max(map(len, rows)) > min(map(len, rows))


def test_a_page_gives_its_claims_with_what_stood_before_them() -> None:
    page = (
        "\nQuestion\nWhen does it open?\nYes\nIt opens at nine.\nNo\nOn Sunday at ten.\n"
        "Claims\nYes\nThe shop is closed at eight."
    )
    assert read_page(page, True) == [
        ("It opens at nine.", "When does it open?"),
        ("On Sunday at ten.", "When does it open? It opens at nine."),
        ("The shop is closed at eight.", ""),
    ]


@pytest.mark.parametrize("page", ["", "Yes", "\nYes\n", "nonsense\nnonsense", "\nYes\nshort", "\nQuestion\nWhen?"])
def test_a_page_without_claims_gives_none(page: str) -> None:
    assert read_page(page, True) == []


def test_a_page_that_broke_off_loses_its_last_line() -> None:
    assert read_page("\nYes\nIt opens at nine.\nNo\nIt opens at ten on", False) == [("It opens at nine.", "")]


def test_written_claims_stand_behind_the_lessons_they_were_written_for(tmp_path: Path) -> None:
    words = Tokenizer(WordLevel({word: at for at, word in enumerate(["?", *WORDS])}, unk_token="?"))
    words.pre_tokenizer = Whitespace()
    first = Lesson(source="w-a", passages=[["the shop opens at nine"]], statements=[Statement(text="it is", label=-1)])
    second = Lesson(
        source="w-b",
        passages=[["the shop closes at ten", "it is sunday"], ["the shop is on"]],
        statements=[Statement(text="it closes", label=0, twin="x"), Statement(text="it opens", label=1, twin="x")],
    )
    save(tmp_path / "train.npz", [first, second], words)
    lessons = Lessons.load(tmp_path / "train.npz")
    assert set(lessons.marks(0)) == {-1}, "nobody said which words of an undecided claim are supported"
    save_written(
        tmp_path / "more.npz", lessons, [(1, None, [("the shop closes", "it is"), ("it is sunday", "")])], words
    )
    lessons.soft, more = np.zeros((3, 3), np.float32), Lessons.load(tmp_path / "more.npz")
    more.soft = np.ones((2, 3), np.float32)
    save_written(tmp_path / "cut.npz", lessons, [(1, (0, 1, 2), [("it is sunday", "")])], words)
    assert Lessons.load(tmp_path / "cut.npz").passages(0, 0) == [lessons.passages(1, 0)[0][1:2]]
    both = lessons.joined(more)
    assert len(both) == 3
    assert both.passages(2, 0) == lessons.passages(1, 0)
    assert both.name(2) == "generated-taught"
    assert list(both.statements(2)) == [3, 4]
    assert both.claim(3, 0) == words.encode("the shop closes").ids
    assert both.before(3, 0) == words.encode("it is").ids
    assert both.claim(1, 0) == lessons.claim(1, 0)
    assert both.soft is not None
    assert both.soft[3:].min() == 1
    assert both.arrays["label"].tolist() == [-1, 0, 1, -1, -1]
    assert both.arrays["twin"].tolist() == [-1, 0, 0, -1, -1]
