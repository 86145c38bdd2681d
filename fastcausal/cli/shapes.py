"""The JSON Schema of what each command prints with ``--json``.

`SHAPES` has one for each command, made of shared parts. Tests hold printed JSON to it.
"""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]
Fields = dict[str, Schema]  # by key; one that ends with "?" may be missing

TEXT: Schema = {"type": "string"}
FLAG: Schema = {"type": "boolean"}
COUNT: Schema = {"type": "integer"}
NUMBER: Schema = {"type": ["number", "null"]}  # null: undefined
LABEL: Schema = {"type": ["string", "integer", "null"]}
ANY: Schema = {}
MEANINGS = {
    "signature": "All settings that the numbers depend on; equal signatures, comparable numbers.",
    "warnings": "What a reader of the numbers must know; report it with them.",
    "hints": "Mends of the predictions that would raise a low score.",
    "scores": "Scores and counts by group; null is undefined, not zero.",
    "subsets": "The same over parts of the examples.",
    "intervals": "A pair of bounds for each score.",
    "unit": "What is drawn as one.",
    "n_units": "Number of independent units; few of them show little.",
    "delta": "B minus A.",
    "p": "P-value of no difference.",
    "p_adjusted": "P-value, corrected for the number of tests.",
    "mde": "The least difference that these data would show.",
    "worth": "Change of the score by one example.",
    "n_unparsed": "Examples whose prediction could not be read.",
    "error": "Why there is no result; the exit status is not 0.",
}


def fields(schema: Schema, keys: str) -> Fields:
    """Return fields of one type."""
    return dict.fromkeys(keys.split(), schema)


def record(*fields: Fields) -> Schema:
    """Return an object with these keys and no others."""
    merged = {key: schema for part in fields for key, schema in part.items()}
    return {
        "type": "object",
        "properties": {
            key: {"description": MEANINGS[key], **schema} if key in MEANINGS else schema
            for key, schema in ((key.rstrip("?"), schema) for key, schema in merged.items())
        },
        "required": [key for key in merged if not key.endswith("?")],
        "additionalProperties": False,
    }


def mapping(schema: Schema) -> Schema:
    """Return an object whose keys are names in the data or words of options."""
    return {"type": "object", "additionalProperties": schema}


def array(schema: Schema) -> Schema:
    """Return a list."""
    return {"type": "array", "items": schema}


def union(*schemas: Schema) -> Schema:
    """Return one of several shapes."""
    return {"anyOf": [*schemas]}


def nullable(schema: Schema) -> Schema:
    """Return a value that may be null."""
    return union(schema, {"type": "null"})


def extras(schema: Schema, keys: str) -> Fields:
    """Return fields of one type that may be missing."""
    return {f"{key}?": schema for key in keys.split()}


def choice(schema: Schema, keys: str) -> Schema:
    """Return an object with any of these keys and no others."""
    return record(extras(schema, keys))


def groups(names: str) -> Schema:
    """Return groups of scores and counts with any of these names."""
    return mapping(choice(NUMBER, names))


def bounds(names: str) -> Schema:
    """Return groups of pairs of bounds with any of these names."""
    return mapping(choice({**array(NUMBER), "minItems": 2, "maxItems": 2}, names))


def scored(names: str, subsets: Schema | None = None) -> Fields:
    """Return the fields of scores, subsets and intervals with any of these names."""
    return {
        "scores": groups(names),
        "subsets?": mapping(groups(names) if subsets is None else subsets),
        "intervals?": record(
            fields(TEXT, "method unit"),
            fields(COUNT, "n_units"),
            fields(NUMBER, "confidence n_resamples seed"),
            {"scores": bounds(names), "subsets": mapping(bounds(names)), "worth": groups(names)},
        ),
    }


def reports(*kinds: Schema) -> Schema:
    """Return the report of one system, or those of several by name."""
    report = {"$ref": "#/$defs/report"}
    shapes = union(report, record({"systems": mapping(report)}))
    return {"$defs": {"report": union(*kinds) if kinds[1:] else kinds[0]}} | shapes


PRF = "precision recall f1"
HITS = f"{PRF} tp fp fn"
WARNED: Fields = {"warnings": array(TEXT)}
NAMED = {"signature": TEXT} | WARNED
HINTED: Fields = {"hints?": array(TEXT)}
SPREAD = choice(NUMBER, "mean min max")
SHARE = record({"n": COUNT, "share": NUMBER})
HIT = record({"n": COUNT, "accuracy": NUMBER})
DRAWN = (
    fields(TEXT, "unit method") | fields(COUNT, "n_units n_resamples seed") | {"confidence": NUMBER}
)
SYSTEMS: Fields = {"systems": record(fields(TEXT, "a b"))}

# Several answers to each example
RUN = fields(COUNT, "examples answers errors limits unscored")
SAMPLED: Fields = {"answers?": record({"rule": TEXT}, RUN)}
PAIRED: Fields = {"answers?": nullable(mapping(union(TEXT, record(RUN, fields(COUNT, "missing")))))}
OVER_ANSWERS = "overall_accuracy overall_exact_match overall_f1 official_f1 exists_f1 direction_f1"

# Agreement
COEFFICIENTS = "percent_agreement cohen_kappa fleiss_kappa alpha gwet_ac1"
WEIGHTED = f"{COEFFICIENTS} cohen_kappa_linear cohen_kappa_quadratic"
RATED = record(
    fields(COUNT, "n_units n_raters n_ratings n_paired_units"), fields(NUMBER, COEFFICIENTS)
)
OF_CLASS = "n_units mean_share percent_agreement unanimous"
OF_VERDICTS = "n_examples percent_agreement alpha causal not_causal"
OF_ANNOTATORS = "alpha em osb to alpha_unitized f1 same_type"
BOTH: Fields = {
    "scores": groups(OF_ANNOTATORS),
    "verdict": choice(NUMBER, OF_VERDICTS),
    "spans": groups(OF_ANNOTATORS),
    "links": choice(NUMBER, OF_ANNOTATORS),
    "types?": ANY,
}
PARTED = f"{OF_ANNOTATORS} {OF_VERDICTS} {OF_CLASS} {WEIGHTED} verdict spans links"
REST = record(fields(NUMBER, "with_rest among_rest difference low? high?"))
REPLACED = record(fields(NUMBER, "winning_rate advantage"), fields(COUNT, "n_annotators"))

# Relations
ERRORS = "le be lbe bes bel beo"
OF_SPANS = f"{HITS} {ERRORS} accuracy exact_match predicted gold number n {OVER_ANSWERS}"
COUNTED = (
    "n_examples n_gold_relations n_pred_relations n_unparsed n_unparsed_answers "
    "n_unparsed_relations n_sections n_rows n_words"
)
OF_RELATIONS = (
    NAMED
    | HINTED
    | SAMPLED
    | scored(OF_SPANS)
    | {"protocol?": TEXT}
    | extras(COUNT, COUNTED)
    | extras(NUMBER, "unparsed_answers_rate unparsed_relations_rate")
    | {
        "bounds?": nullable(mapping(nullable(mapping(NUMBER)))),
        "means?": mapping(groups(OF_SPANS)),
        "classes?": groups(f"{PRF} hits predicted gold"),
        "baselines?": groups(f"{PRF} exact_match"),
    }
)
SPAN = record(fields(TEXT, "role words"), fields(COUNT, "start stop"))
MARKED = array(record({"relation": COUNT, "spans": array(SPAN), "type?": LABEL}))

# Classes of sentences, answers and judged pairs
TOO = "too_strong too_weak mean_difference"
OF_LABELS = (
    f"{HITS} {OVER_ANSWERS} {TOO} accuracy mcc mae spearman bias support n n_read n_unparsed "
    "n_missing"
)
DIRECTED: Fields = {"direction?": choice(NUMBER, TOO)}
LABELLED: Fields = {
    "labels?": array(LABEL),
    "confusion?": array(array(COUNT)),
    "unanswered?": array(COUNT),
    "classes?": array(record({"label": LABEL, "support": COUNT}, fields(NUMBER, HITS), DIRECTED)),
}
UNREAD = choice(COUNT, "missing unreadable out_of_range unmatched")
COVERAGE = record({"n_read": COUNT, "share": NUMBER, "unread": UNREAD})
COVERED: Fields = {"coverage?": nullable(COVERAGE)}
PART = (
    LABELLED
    | COVERED
    | {
        "task?": TEXT,
        "n_pairs?": COUNT,
        "n_questions?": COUNT,
        "scores": mapping(record(extras(NUMBER, OF_LABELS), DIRECTED)),
    }
)
JUDGED = NAMED | HINTED | SAMPLED | scored(OF_LABELS, record(PART)) | PART
CUT = record(
    fields(NUMBER, "threshold accuracy macro_f1 f1_yes f1_no"), fields(COUNT, "n_positive tp fp fn")
)
IN_GRAPHS = "n_frames n_chains n_pairs n_in_document n_cross_document n_scored"
OF_GRAPHS = f"f1 em {IN_GRAPHS} {OVER_ANSWERS}"
GRAPHS = (
    NAMED
    | HINTED
    | SAMPLED
    | COVERED
    | scored(OF_GRAPHS)
    | fields(COUNT, "n_frames? n_chains? n_pairs?")
)
ALIKE = record(fields(COUNT, "n n_same_document"), fields(NUMBER, "share chance?"))
CLASSES = mapping(SHARE)

# Pairs of events
OF_PAIRS = f"{PRF} tp predicted gold"
BY_REACH = mapping(groups(OF_PAIRS))
FOLDS = record({"n": COUNT, "f1_of_means": NUMBER, "mean": choice(NUMBER, PRF)})

# Answers and claims
OF_ANSWERS = (
    f"{PRF} exact_match exact_match_with_relation matched_precision matched_recall matched_f1 "
    "accuracy contained rouge_l bleu shared predicted wanted n"
)
REASONS = record(
    fields(COUNT, "n_invalid? n_unsure? n_given?"),
    {
        "sides?": CLASSES,
        "kinds?": CLASSES,
        "by_side?": mapping(CLASSES),
        "systems?": mapping(ANY),
        "agreement?": mapping(RATED),
        "differ?": mapping(mapping(TEXT)),
    },
)
OF_CLAIMS = fields(choice(NUMBER, PRF), "topic claim means")
STANDING = "wins ties losses share rank n topics_won topics_tied"

# Metrics and judges
ALIKENESS = "pearson spearman kendall pairwise_accuracy"
OF_METRICS = (
    f"{ALIKENESS} {PRF} soft_pairwise_accuracy auc bias mae calibrated_accuracy tie_threshold "
    "accuracy mcc kappa agreement support n n_undefined n_judge"
)
ESTIMATE = (
    fields(COUNT, "n n_unjudged")
    | {"unit": TEXT}
    | fields(NUMBER, "mean low high powered_mean powered_low powered_high weight p? p_adjusted?")
)
ESTIMATES = nullable(mapping(union(record(ESTIMATE), mapping(record(ESTIMATE)))))
METRIC = record(
    fields(choice(NUMBER, OF_METRICS), "pooled? by_item? systems?"),
    {
        "threshold?": nullable(
            record(
                fields(NUMBER, "value accuracy"), {"held_out": nullable(choice(NUMBER, OF_METRICS))}
            )
        ),
        "scores?": groups(OF_METRICS),
        "confusion?": array(array(COUNT)),
        "alt_test": record(
            fields(NUMBER, "winning_rate advantage epsilon"), {"n_raters": COUNT, "unit": TEXT}
        ),
        "estimates": ESTIMATES,
        "differences": ESTIMATES,
        "intervals": nullable(bounds(OF_METRICS)),
    },
)

# Comparisons
CHANGE = fields(NUMBER, "delta low high se p mde worth p_adjusted?") | {"p_exact": FLAG}
RANKED = (
    {"system": TEXT, "best": FLAG}
    | fields(COUNT, "rank rank_low rank_high")
    | fields(NUMBER, "value low high worth delta? delta_low? delta_high? p? p_adjusted?")
)
CELLS = {"type": ["string", "number", "boolean", "null"]}  # of scores and joined columns
JOINED = record(RANKED) | {"additionalProperties": CELLS}
SIGNS: Fields = {"least_p?": mapping(NUMBER), "lower_is_better?": FLAG}
COMPARED = record(
    SIGNS,
    NAMED,
    SYSTEMS,
    PAIRED,
    DRAWN,
    {
        "gold": {"type": ["string", "null"]},
        "n_differ": NUMBER,
        "pairing?": TEXT,
        "anytime?": TEXT,
        "scores": mapping(record(fields(NUMBER, "a b"), CHANGE)),
        "better?": mapping(TEXT),
    },
    fields(TEXT, "test correction"),
    fields(COUNT, "n_a? n_b?"),
)
LEADING = record(
    SIGNS,
    NAMED,
    PAIRED,
    DRAWN,
    {"score": TEXT, "n_systems": COUNT, "test": TEXT},
    {
        "systems": array(JOINED),
        "winner": record({"system": TEXT}, fields(NUMBER, "value expected")),
    },
)
SEEDS = record(
    NAMED,
    HINTED,
    DRAWN,
    PAIRED,
    {"score": TEXT, "n_groups": COUNT, "subsets": mapping(ANY)},
    {
        "systems": mapping(array(TEXT)),
        "scores": groups("mean std n seeds_low seeds_high units_low units_high both_low both_high"),
    },
)
FLOOR = record(
    fields(TEXT, "score verdict"), fields(NUMBER, "value low high least worth"), {"point": FLAG}
)
CELL = record(fields(NUMBER, "value low high"), fields(COUNT, "n right crashed"))
SUBMITTED = record(
    NAMED,
    {
        "counts": mapping(COUNT),
        "policies": mapping(TEXT),
        "scores": mapping(NUMBER),
        "undefined": array(TEXT),
        "adds": FLAG,
    },
)
EXPLAINED = record(
    fields(TEXT, "field meaning"),
    fields(NUMBER, "f1? exact_match? change change_alone?"),
    fields(COUNT, "n_examples? n_documents?"),
    fields(array(TEXT), "examples? documents?"),
)
WRONG: Fields = {"signature": TEXT, "n_wrong": COUNT, "warnings?": array(TEXT)}
HALVES = mapping(record(fields(COUNT, "explicit implicit")))
OF_GROUPS: Fields = {
    "sentences": choice(COUNT, "causal non_causal all"),
    "words": mapping(choice(NUMBER, "causal non_causal all cause effect signal")),
}
CORPUS = record(
    OF_GROUPS,
    fields(COUNT, "relations unread_relations"),
    fields(NUMBER, "relations_per_causal_sentence signals_per_relation share_with_signal"),
    fields(record(fields(COUNT, "relations sentences")), "explicit implicit"),
    {
        "notes": mapping(COUNT),
        "argument_order": HALVES,
        "between_arguments": HALVES,
        "flow": mapping(record(fields(COUNT, "single concurrent consecutive"))),
        "histograms": record(
            fields(mapping(COUNT), "relations_per_sentence signals_per_relation"),
            {"words": mapping(mapping(mapping(COUNT)))},
        ),
        "top_signals": array(record({"signal": TEXT, "count": COUNT})),
        "types?": mapping(COUNT),
        "relations_without_type?": COUNT,
    },
)

REPORTS: dict[str, Fields] = {
    "score": OF_RELATIONS,
    "classify": NAMED
    | HINTED
    | SAMPLED
    | scored(OF_LABELS)
    | LABELLED
    | {
        "positive?": LABEL,
        "means?": mapping(groups(OF_LABELS)),
        "unread?": record(
            {"unparsed": array(record(fields(TEXT, "id answer"))), "missing": array(TEXT)}
        ),
    }
    | fields(COUNT, "n_examples? n_unparsed? n? n_read? n_missing? n_questions?"),
    "eci": NAMED
    | HINTED
    | SAMPLED
    | scored(f"{OF_PAIRS} {OVER_ANSWERS}")
    | {
        "protocol?": TEXT,
        "scores": mapping(union(groups(OF_PAIRS), choice(NUMBER, OVER_ANSWERS))),
        "baselines?": BY_REACH,
        "by?": mapping(mapping(BY_REACH)),
        "folds?": mapping(mapping(FOLDS)),
    }
    | fields(NUMBER, "n_documents? n_outside? n_candidates? n_ignored?"),
    "qa": NAMED
    | HINTED
    | SAMPLED
    | {"n_questions?": COUNT}
    | scored(f"exact_match f1 squad_exact_match squad_f1 sas judge n_questions {OVER_ANSWERS}"),
    "answers": NAMED
    | fields(COUNT, "n_items n_unparsed")
    | {
        "protocol": TEXT,
        "triage": choice(COUNT, "exact empty disjoint judge"),
        "scores": groups(OF_ANSWERS),
        "by": mapping(groups(OF_ANSWERS)),
        "reasons": REASONS,
        "verdicts": record(fields(COUNT, "n_raters n_judged n_missing"), {"valid": NUMBER}),
    },
    "crab pairwise": JUDGED,
    "crab graded": JUDGED | {"same_document?": mapping(ALIKE)},
    "crab frames": GRAPHS,
    "crab chains": GRAPHS,
}
CLAIMS = fields(COUNT, "n_topics n_unjudged") | {
    "n_claims": mapping(COUNT),
    "scores": record(OF_CLAIMS),
    "raters": mapping(record(OF_CLAIMS)),
    "topics": groups(f"{PRF} n_prediction n_reference"),
}
VALUES = (
    NAMED
    | HINTED
    | SAMPLED
    | {
        "scores": mapping(mapping(NUMBER)),
        "subsets?": mapping(mapping(mapping(NUMBER))),
        "intervals?": mapping(ANY),
    }
)
COMPARABLE: Fields = {"comparison?": COMPARED}

SHAPES: dict[str, Schema] = {
    **{name: reports(record(report)) for name, report in REPORTS.items()},
    "claims": record(NAMED, {"agreement": mapping(RATED), "systems": mapping(record(CLAIMS))}),
    "explain": union(
        {**record({"quirks": array(EXPLAINED)}), "additionalProperties": record(OF_RELATIONS)},
        record(
            NAMED,
            HINTED,
            {
                "quirks?": array(EXPLAINED),
                "subsets?": mapping(ANY),
                "answers?": array(mapping(LABEL)),
            },
            {"scores": groups(f"{OF_SPANS} n_right n_read")},
            fields(COUNT, "n? n_differing?"),
        ),
    ),
    "errors": union(
        record(
            WRONG,
            fields(array(TEXT), "types roles"),
            {
                "examples": array(
                    record(
                        {
                            "id": TEXT,
                            "errors": COUNT,
                            "counts": mapping(COUNT),
                            "text": LABEL,
                            "gold": MARKED,
                            "pred": MARKED,
                        }
                    )
                )
            },
        ),
        record(
            WRONG,
            {
                "types": array(TEXT),
                "documents": array(
                    record(
                        {"doc_id": TEXT, "errors": COUNT, "counts": mapping(COUNT)},
                        {"pairs": array(record(fields(TEXT, "kind a b gold pred text")))},
                    )
                ),
            },
        ),
        record(
            NAMED,
            {
                "systems": array(TEXT),
                "share": NUMBER,
                "n_suspects": mapping(COUNT),
                "suspects": array(
                    record(
                        fields(TEXT, "id kind text"),
                        fields(COUNT, "n_systems n_seen"),
                        {
                            "share": NUMBER,
                            "relations": array(
                                record(
                                    {"gold": NUMBER, "systems": array(TEXT), "spans": array(SPAN)}
                                )
                            ),
                        },
                    )
                ),
            },
        ),
        record(
            WRONG,
            {
                "n_items": COUNT,
                "items": array(
                    record(
                        fields(LABEL, "id cluster input target"),
                        fields(NUMBER, "value"),
                        fields(COUNT, "n right crashed"),
                        {"answers": array(record({"value": NUMBER, "text": LABEL}))},
                    )
                ),
            },
        ),
    ),
    "report": record(WARNED, {"path": TEXT}, fields(COUNT, "n_examples n_left_out n_systems")),
    "describe": union(
        CORPUS, record(OF_GROUPS), record({"corpora": mapping(CORPUS), "all": CORPUS})
    ),
    "check": record(
        fields(COUNT, "n_files n_examples n_relations n_findings"),
        fields(mapping(COUNT), "counts notes"),
        {
            "annotators": mapping(mapping(COUNT)),
            "findings": array(
                record(
                    fields(TEXT, "annotator file example kind message"),
                    {"text": LABEL},
                    fields(NUMBER, "start stop"),
                )
            ),
        },
    ),
    "compare": COMPARED,
    "items": record(
        NAMED,
        fields(TEXT, "missing score"),
        {"runs": array(TEXT), "confidence": NUMBER},
        fields(COUNT, "n_items n_up? n_down? n_flaky n_crashed"),
        {
            "items": array(
                record(
                    {
                        "id": TEXT,
                        "cluster": LABEL,
                        "change?": TEXT,
                        "flaky": mapping(FLAG),
                        "values": mapping(CELL),
                    }
                )
            )
        },
    ),
    "leaderboard": union(LEADING, SEEDS),
    "schemes": record(
        {
            "schemes": mapping(groups(f"{PRF} rank f1_low f1_high")),
            "winners": mapping(array(TEXT)),
            "changes": FLAG,
            "signatures": mapping(TEXT),
            "p?": mapping(record(fields(TEXT, "first second"), {"p": NUMBER})),
        },
        WARNED,
    ),
    "gate": record(
        SIGNS,
        NAMED,
        DRAWN | {"seed": NUMBER},
        PAIRED,
        fields(TEXT, "verdict reason score? pairing? anytime?"),
        fields(NUMBER, "baseline? candidate? delta? low? high? min_delta? mde? worth? alpha"),
        fields(NUMBER, "log_e? log_e_fail? n_differ? window?"),
        fields(COUNT, "allowed? look?"),
        {
            "systems": record(fields(TEXT, "baseline? candidate")),
            "floors?": array(FLOOR),
            "regressions?": array(TEXT),
        },
    ),
    "plan": record(
        NAMED,
        SYSTEMS,
        fields(TEXT, "score unit"),
        fields(NUMBER, "delta delta_low delta_high power confidence se"),
        {
            "n_units": COUNT,
            "plans": array(record(fields(NUMBER, "answers units more units_low units_high"))),
        },
    ),
    "sweep": record(
        fields(COUNT, "n_runs scored kept"),
        {"out": TEXT, "failed": array(record(fields(TEXT, "run error")))},
    ),
    "aggregate": reports(
        *(
            record(of, COMPARABLE)
            for of in (
                *REPORTS.values(),
                NAMED | CLAIMS | {"subsets?": mapping(record(OF_CLAIMS))},
                VALUES,
            )
        )
    ),
    "merge": record({"out": TEXT}, fields(COUNT, "n_parts n_examples")),
    "agree": union(
        record(
            NAMED,
            BOTH,
            {
                "protocol": TEXT,
                "annotators": array(TEXT),
                "n_examples": COUNT,
                "n_types_differ?": COUNT,
            },
            {
                "pairs": array(
                    record(
                        BOTH, fields(TEXT, "a b"), fields(COUNT, "n_examples n_unmarked n_missing")
                    )
                ),
                "alpha_all": groups("alpha"),
                "subsets": mapping(groups(PARTED)),
                "against_rest?": mapping(mapping(REST)),
                "intervals?": nullable(bounds(PARTED)),
                "replacement?": record(
                    fields(TEXT, "annotator unit"),
                    {"n_units": COUNT, "epsilon": NUMBER},
                    fields(REPLACED, "spans relations"),
                ),
            },
        ),
        record(
            {"signature": TEXT, "level": TEXT},
            fields(NUMBER, WEIGHTED),
            fields(COUNT, "n_units n_raters n_ratings n_missing n_paired_units n_tied n_unrated"),
            {
                "majority": mapping(COUNT),
                "by_class": groups(OF_CLASS),
                "subsets?": mapping(groups(PARTED)),
                "alpha_interval?": record(
                    fields(NUMBER, "alpha low high"), {"n_undefined": COUNT, "method": TEXT}
                ),
            },
        ),
    ),
    "annotate export": record(fields(COUNT, "n_items n_judged n_missing")),
    "annotate import": record(
        fields(COUNT, "n_items n_judged n_missing n_passed?"),
        {
            "raters": mapping(
                record(
                    fields(COUNT, "n_judged n_missing n_right?"),
                    {"share?": NUMBER, "passed?": FLAG},
                )
            ),
            "tests?": mapping(
                record(
                    fields(COUNT, "n n_failed"),
                    fields(NUMBER, "share percent_agreement? cohen_kappa? fleiss_kappa? alpha?"),
                )
            ),
        },
    ),
    "preferences": record(
        NAMED,
        {"choice": TEXT},
        fields(COUNT, "n_topics n_preferences n_missing"),
        {
            "scores": groups(STANDING),
            "raters": mapping(groups(STANDING)),
            "agreement": RATED,
            "topics": mapping(record({"best": array(TEXT), "systems": groups(STANDING)})),
        },
    ),
    "meta": record(
        NAMED,
        fields(COUNT, "n_items n_systems n_raters n_unjudged"),
        {
            "classes": nullable(array(TEXT)),
            "metrics": mapping(METRIC),
            "by": mapping(mapping(METRIC)),
            "undefined": mapping(TEXT),
            "human": nullable(
                record(
                    {
                        "agreement": RATED,
                        "ceiling": union(groups(ALIKENESS), choice(NUMBER, ALIKENESS)),
                    }
                )
            ),
            "tests": array(
                record(fields(TEXT, "a b level score unit"), fields(NUMBER, "delta p p_adjusted"))
            ),
        },
    ),
    "meta plan": record(
        NAMED,
        HINTED,
        fields(NUMBER, "delta labels_per_row"),
        scored("rows margin n_alone n_powered n_labels n_more margin_all"),
    ),
    "meta sample": record(
        NAMED, HINTED, {"n": COUNT, "items": array(TEXT)}, scored("items unlabelled drawn")
    ),
    "meta drift": record(
        NAMED,
        HINTED,
        {"unit": TEXT},
        scored("n changed changed_low changed_high earlier later change low high p"),
    ),
    "crab sweep": record(
        NAMED, COVERED, {"n_pairs": COUNT, "thresholds": array(CUT), "best": nullable(CUT)}
    ),
    "crab agree": record(
        NAMED,
        fields(COUNT, "n_pairs n_ratings n_raters n_tied"),
        {
            "ratings_per_pair": SPREAD,
            "classes": mapping(mapping(COUNT)),
            "experts?": SHARE,
            "subsets": array(record({"classes": array(COUNT), "n_pairs": COUNT, "alpha": NUMBER})),
            "qualification?": record(
                {
                    "line": NUMBER,
                    "n_qualified": COUNT,
                    "raters": mapping(record({"majority": HIT, "gold?": HIT, "qualified": FLAG})),
                }
            ),
        },
    ),
    "crab experts": record(
        NAMED,
        fields(COUNT, "n_pairs n_rated n_changed n_tied"),
        {"changed": array(record(fields(TEXT, "id before after by"))), "tied": array(TEXT)},
    ),
    "crab events": record(
        NAMED,
        HINTED,
        fields(COUNT, "n_documents n_gold n_pred"),
        scored(HITS),
        {"n_dropped?": choice(COUNT, "short quoted")},
    ),
    "crab describe": record(
        NAMED,
        fields(COUNT, "n_topics n_articles n_events n_pairs"),
        {
            "classes": mapping(CLASSES),
            "timeline": SPREAD,
            "pairs_per_topic": SPREAD,
            "topics": mapping(
                record(fields(COUNT, "n_events n_pairs n_articles"), {"classes": CLASSES})
            ),
            "graph": nullable(
                record(
                    {"threshold": NUMBER, "causes_per_effect": SPREAD},
                    fields(COUNT, "n_edges n_effects"),
                    {"paths": record({"n": COUNT, "lengths": mapping(COUNT), "longest": COUNT})},
                )
            ),
        },
    ),
    "crab make-mcq": record(
        NAMED, HINTED, {"n_questions": COUNT}, scored("n without few_causes tied")
    ),
    "crab prompts": record(NAMED, scored("n_prompts n_articles n_clipped")),
    "crab split": record(NAMED, HINTED, scored("pairs stories articles events")),
    "task init": record({"dir": TEXT, "scores": array(TEXT), "baseline": SUBMITTED}),
    "task check": SUBMITTED,
    "task leaderboard": record(
        NAMED,
        HINTED,
        fields(TEXT, "score gold sha256"),
        fields(COUNT, "n_submissions n_refused"),
        {
            "ranking": LEADING,
            "refused": mapping(TEXT),
            "scores": mapping(mapping(NUMBER)),
            "subsets": mapping(ANY),
        },
    ),
    "page-scorer": record({"path": TEXT, "n_bytes": COUNT}),
    "demo": record({"systems": mapping(record(OF_RELATIONS))}),
    "doctor": union(
        record(
            {
                "commands": array(TEXT),
                "files": array(
                    record(
                        {
                            "file": TEXT,
                            "format": LABEL,
                            "rows": NUMBER,
                            "systems": nullable(record({"column": TEXT, "names": array(TEXT)})),
                            "samples": nullable(record({"column": TEXT, "n": COUNT})),
                        },
                        fields(array(TEXT), "columns clusters commands findings"),
                    )
                ),
            }
        ),
        record(
            fields(TEXT, "fastcausal python system"),
            fields(LABEL, "numpy pyarrow numba"),
            fields(mapping(ANY), "native cores training cuda"),
        ),
    ),
}

FAILURE = record({"error": TEXT})


def describe_output(command: str) -> Schema:
    """Return the JSON Schema of what a command prints with ``--json``."""
    shape = SHAPES[command]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"fastcausal {command} --json",
        **{key: value for key, value in shape.items() if key == "$defs"},
        **union(*shape.get("anyOf", [shape]), FAILURE),
    }
