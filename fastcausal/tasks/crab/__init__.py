"""Strength of causes in news: judged pairs of events, as pairs, frames, chains and questions.

Facts of the data and of every score: Romanou et al. (2023), CRAB: Assessing the Strength of Causal
Relationships Between Real-world Events.

::

    pairs.py       the table of judged pairs, and the classes of scores
    answers.py     what models say of them: read, joined, counted
    raters.py      agreement of raters, and which pairs go to experts
    event_lists.py events that a model finds in documents
    splits.py      train and test: by date, story or pair
"""

from __future__ import annotations

from fastcausal.tasks.crab.event_lists import events as events
