"""The prompts of each task, as templates of jinja2.

Romanou et al. (2023), section 3, define the classes and their borders; the wording is not theirs.
"""

from __future__ import annotations

_DOCUMENTS = """\
{% for article in articles %}
Document {{ loop.index }}:
{{ article }}

{% endfor %}
"""
_PAIR = (
    _DOCUMENTS
    + """\
Event 1: {{ event_a }}
Event 2: {{ event_b }}

"""
)
_TAG = "Give your reasons in a few sentences. Then close with {} in tags, like this: "

TEMPLATES = {
    "score": _PAIR
    + """\
How strongly did event 1 cause event 2? Give a whole number from 0 to 100.
80 to 100: high, event 2 happened because of event 1.
50 to 79: medium, event 1 helped to bring event 2 about, beside other causes.
20 to 49: low, event 1 had a small part in event 2 at most.
0 to 19: none, event 2 would have happened in the same way without event 1.

"""
    + _TAG.format("the number")
    + "<Answer>number</Answer>",
    "multiclass": _PAIR
    + """\
How strongly did event 1 cause event 2?
[A] High: event 2 happened because of event 1.
[B] Medium: event 1 helped to bring event 2 about, beside other causes.
[C] Low: event 1 had a small part in event 2 at most.
[D] None: event 2 would have happened in the same way without event 1.

"""
    + _TAG.format("one letter")
    + "<Answer>A, B, C or D</Answer>",
    "three": _PAIR
    + """\
How strongly did event 1 cause event 2?
[A] High: event 2 happened because of event 1.
[B] Medium or low: event 1 had a part in event 2, beside other causes.
[C] None: event 2 would have happened in the same way without event 1.

"""
    + _TAG.format("one letter")
    + "<Answer>A, B or C</Answer>",
    "binary": _PAIR
    + """\
Did event 1 cause event 2? Answer with one word, yes or no.""",
    "mcq": _DOCUMENTS
    + """\
Event: {{ effect }}

Which of these four events is the most likely cause of it?
{% for cause in causes %}
[{{ cause.letter }}] {{ cause.text }}
{% endfor %}

"""
    + _TAG.format("one letter")
    + "<Answer>A, B, C or D</Answer>",
}
