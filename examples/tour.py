"""A tour from text to verdict, on text that is on every machine: the docstrings of Python's own library.

Run it in an empty folder: it leaves `docstrings.parquet` and `tour-run/` there.
"""

import sysconfig
from pathlib import Path

import polars as pl

import consilience
from consilience.cli.demo import docstrings
from consilience.corpus import survey
from consilience.measures import headlines, scores
from consilience.reports import pages
from consilience.runs import Settings, load_run, predict_corpus, verify, walk, write_run
from consilience.runs.classes import classify_corpus
from consilience.vectors import transposed
from consilience.verdicts import describe_words, nearest_words, outliers

# 1. Text. One row per docstring; its package is a gold label: measured against, never used.
library = pl.DataFrame(docstrings(Path(sysconfig.get_path("stdlib"))))
library = library.with_columns(label=pl.col("module").str.split(".").list.first()).drop("module")
library = library.filter(pl.len().over("label") >= 100)
library.write_parquet("docstrings.parquet")
corpus = consilience.read("docstrings.parquet")
found = survey(corpus)
print(f"read        {found.documents} docstrings of {library['label'].n_unique()} packages")
print(f"            {found.empty} empty, {found.duplicates} repeat an earlier one")

# 2. Terms. The language is recognised, its stop words are left out, words are reduced to stems.
tokens = consilience.tokenise(corpus)
print(f"terms       {len(tokens.vocabulary)} in language {tokens.language!r}")

# 3. Vectors. A view of the catalogue; each noun carries the recipe that made it.
vectors = consilience.represent(tokens, "tfidf-log")
print(f"vectors     {' x '.join(map(str, vectors.matrix.shape))}, {int(vectors.empty.sum())} without a term")
print(f"recipe      {' > '.join(step['step'] for step in vectors.recipe.as_json())}")

# 4. Clusters, numbered by falling size.
clustering = consilience.cluster(vectors, method="kmeans", k=12, random_state=0)
print(f"clusters    {clustering.k} of sizes {clustering.sizes.tolist()}, {clustering.assigned:.1%} assigned")

# 5. Is it the same again? The same seed must give the same labels; another seed shows how firm they are.
again = consilience.cluster(vectors, method="kmeans", k=12, random_state=0)
other = consilience.cluster(vectors, method="kmeans", k=12, random_state=1)
print(f"same seed   {'the same labels' if (again.labels == clustering.labels).all() else 'OTHER LABELS'}")
print(f"other seed  adjusted Rand index {scores(other.labels, clustering.labels)['adjusted_rand'].value:.3f}")

# 6. Is it right? Against the packages, which know nothing of topics: expect less than 1.
classes = corpus.truth.list.first().rank("dense").cast(pl.Int64).to_numpy() - 1
for name, score in headlines(scores(classes, clustering.labels)).items():
    print(f"against     {name} {score.value:.3f} ({score.on_assigned:.3f} on assigned)")

# 7. Could it be right at all? How often held-out documents are put into their package when it is taught.
taught = classify_corpus(corpus).accuracy
print(f"taught      {taught.value:.3f} of {taught.held_out} (95 %: {taught.low:.3f} to {taught.high:.3f})")

# 8. What fits badly? Two z are summed, distance and density; see "What every number means".
score = pl.DataFrame({"id": corpus.ids, "outlier": outliers(vectors.matrix, clustering.labels).score})
for name, value in score.fill_nan(None).drop_nulls().sort("outlier", descending=True).head(3).iter_rows():
    print(f"misfit      {value:5.1f}  {name}")

# 9. Words: which stand in the same documents as one, and which stand together.
near = nearest_words(vectors, tokens, "socket", count=5)["word"]
print(f"socket      is like: {', '.join(near)}")
words = transposed(vectors)
grouped = consilience.cluster(words, method="kmeans", k=100, random_state=0)
for group in describe_words(grouped, words, tokens.surface)[:3]:
    print(f"words       {group.size:4}  {', '.join(group.terms[:6])}")

# 10. The whole road in one call, as `consilience cluster` walks it, and everything it found in one folder.
#     It takes documents in the order of their texts, so that their order in the file cannot matter; step 4 did not.
run = walk(corpus, Settings(k=12))
write_run(run, Path("tour-run"), pages=pages(run, "docstrings"), force=True)
for note in run.notes:
    print(f"note        {note}")
for cluster in run.clusters:
    print(f"{cluster.id:7}{cluster.size:6}  check {cluster.retrieval:.2f}  {', '.join(cluster.terms[:5])}")

# 11. From the folder alone: other documents find their cluster, and the proof that it comes out again.
saved = load_run(Path("tour-run"))
new = pl.DataFrame({"id": ["a", "b"], "text": ["A handler that writes log records.", "Wait until the future is done."]})
for row in predict_corpus(consilience.from_frame(new), saved).iter_rows(named=True):
    print(f"predicted   {row['id']}: cluster {row['cluster']} ({row['label']})")
print(f"verify      {verify(saved) or 'the same again'}")
