import json
from pathlib import Path

import pytest

from consilience.cli import run


def test_tendency_of_a_corpus(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [f"{'cats purr meow' if i % 2 else 'ships sail sea'} word{'abcdefgh'[i % 8]}" for i in range(24)]
    texts, turned = tmp_path / "t.csv", tmp_path / "u.csv"
    numbered = [f"{i},{line}\n" for i, line in enumerate(lines)]
    texts.write_text("id,text\n" + "".join(numbered))
    turned.write_text("id,text\n" + "".join(reversed(numbered)))
    assert run(["vectors", str(texts), "--tendency", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["structure"] is True
    assert found["p"] == 0.01
    assert found["documents"] == 24
    assert run(["vectors", str(turned), "--tendency", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == found
    assert run(["vectors", str(texts), "--tendency"]) == 0
    assert capsys.readouterr().out.startswith("There is something to cluster")
