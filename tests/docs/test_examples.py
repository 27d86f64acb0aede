"""What the documentation shows, runs: the README's Python, every command line, every make target."""

import re
import shlex

import pytest

ROW = "{id},{body}\n"
BODIES = [
    "The printer is out of paper",
    "Paper jam in the printer",
    "I forgot my password",
    "Reset the password please",
]
PAGES = ["README.md", "docs/index.md", "docs/tour.md", "docs/numbers.md", "docs/reproducibility.md", "docs/design.md"]


def test_the_readme_s_python_runs(root, tmp_path, monkeypatch, capsys):
    (block,) = re.findall(r"^```python\n(.*?)^```", (root / "README.md").read_text(encoding="utf-8"), re.M | re.S)
    rows = "".join(ROW.format(id=f"t{i}", body=body) for i, body in enumerate(BODIES * 4))
    (tmp_path / "tickets.csv").write_text(f"id,body\n{rows}", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "README.md", "exec"), {})
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("[")
    assert [line.split()[0] for line in lines[1:]] == [f"t{i}" for i in range(16)]


def commands(text):
    """Every command line of the program: a line of its own, or one in backticks that goes beyond the verb."""
    lines = re.findall(r"^ {4}(?:\.venv/bin/)?consilience (.+)$", text, re.M)
    return [*lines, *re.findall(r"`consilience ([a-z]+[^`]*)`", text)]


@pytest.mark.parametrize("page", PAGES)
def test_every_command_line_parses(root, written, page):
    """Its verb is there and takes these options and values; nothing is run."""
    for line in commands((root / page).read_text(encoding="utf-8")):
        verb, *arguments = shlex.split(line, comments=True)
        command = written.program().commands[verb]
        if arguments:
            command.make_context(verb, arguments)


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", *PAGES[1:]])
def test_every_option_and_make_target_exists(root, written, page):
    text = (root / page).read_text(encoding="utf-8")
    known = {flag for verb in written.program().commands.values() for p in verb.params for flag in p.opts}
    assert set(re.findall(r"`(--[a-z-]+)", text)) <= known
    targets = set(re.findall(r"^([a-z]+):", (root / "Makefile").read_text(encoding="utf-8"), re.M))
    assert set(re.findall(r"(?:`|^ {4})make ([a-z]+)", text, re.M)) <= targets


def test_there_are_command_lines_to_check(root):
    assert len(commands((root / "README.md").read_text(encoding="utf-8"))) >= 6


@pytest.mark.parametrize("wrong", ["cluster c.csv --nope", "cluster", "cluster c.csv --seed x"])
def test_a_wrong_command_line_would_be_noticed(written, wrong):
    verb, *arguments = shlex.split(wrong)
    with pytest.raises(Exception) as problem:  # noqa: PT011  the parser's own, of whichever version
        written.program().commands[verb].make_context(verb, arguments)
    assert hasattr(problem.value, "format_message")


@pytest.mark.parametrize("page", PAGES)
def test_links_between_files_lead_somewhere(root, page):
    for target in re.findall(r"\]\(([^)#]+)", (root / page).read_text(encoding="utf-8")):
        assert "generated/" in target or ((root / page).parent / target).exists(), target


def test_the_design_tells_the_folders_and_the_dependencies_that_there_are(root):
    import tomllib

    text = (root / "docs" / "design.md").read_text(encoding="utf-8")
    house = re.findall(r"^ {6}(\w+/|\w+\.py) ", text, re.M)
    there = (root / "src" / "consilience").iterdir()
    folders = {f"{path.name}/" for path in there if path.is_dir() and path.name != "__pycache__"}
    assert {name for name in house if name.endswith("/")} == folders
    assert all((root / "src" / "consilience" / name).exists() for name in house)
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = {re.match(r"[\w-]+", package)[0] for package in project["dependencies"]}
    table = text[text.index("## Dependencies") : text.index("**Reports are drawn")]
    assert {name for row in re.findall(r"^\| (`.*?) \|", table, re.M) for name in re.findall(r"`(.+?)`", row)} == needed
