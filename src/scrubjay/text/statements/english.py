"""The forms of statements in English. A sentence has lost its full stop before it is compared."""

from __future__ import annotations

import re

from scrubjay.text.statements.forms import Form


def _said(pattern: str) -> re.Pattern[str]:
    """A pattern behind the words with which people begin."""
    return re.compile(
        r"(?:(?:(?:quick|small|short|brief|one|another|some|more)\s+)?(?:intro|introduction|note|thing|remark|context|background|reminder|update"
        r"|heads[- ]up)(?:\s+(?:for (?:later|you|context)|before we start|first|about me))?:\s+)?"
        rf"(?:(?:so|well|ok|okay|yes|yeah|yep|no|nope|actually|btw|by the way|also|and|but|anyway|hey|hi|fyi|oh|sorry|ah"
        rf"|correction|personally|in general|honestly|look|right|great|cool|thanks|please)[,.:!]?\s+){{0,3}}(?P<said>{pattern})",
        re.IGNORECASE,
    )


_ADVERBS = (
    r"(?:(?:really|strongly|generally|usually|much|still|currently|now|mostly|mainly|only|just|recently|finally|all|also"
    r"|absolutely|definitely|truly|personally|both|actually|already|often|normally|primarily)\s+){0,3}"
)
_WE = r"(?:we|i|the team|my team|our team)(?:'ve|\s+have|\s+has)?\s+"
_ROLES = (
    "engineer|developer|programmer|designer|teacher|doctor|nurse|student|manager|architect|scientist|researcher|analyst"
    "|lawyer|writer|author|journalist|musician|artist|photographer|chef|consultant|founder|professor|lecturer|accountant"
    "|admin|administrator|maintainer|freelancer|contractor|physicist|biologist|chemist|economist|psychologist|therapist"
    "|pilot|farmer|carpenter|electrician|mechanic|translator|editor|librarian|pharmacist|dentist|veterinarian|vet"
    "|data scientist|product manager|cto|ceo|devops|sre|qa|tester|intern|phd student|postdoc|runner|cyclist"
)
_HABITS = (
    "use|drink|eat|commit|deploy|write|run|work|test|push|merge|start|format|sleep|wear|take|buy|read|cook|travel|fly"
    "|drive|walk|bike|train|exercise|wake up|go|review|squash|rebase|document|pay|order|keep|avoid"
)
_COMMANDS = (
    "use|run|write|commit|add|ask|check|keep|put|prefer|include|answer|respond|reply|format|name|test|push|merge|deploy"
    "|avoid|delete|create|make|start|read|set|show|explain|call|import|update|edit|follow|do|store|return|log|document"
    "|type|wrap|sign|squash|rebase|pin|mock|install|modify|touch|change|remove|rename|generate|print|leave|skip|give|speak|talk"
)
_THINGS = (
    "server|database|db|cluster|bucket|endpoint|url|domain|repo|repository|branch|port|region|registry|queue|cache|host"
    "|hostname|ip|ip address|api|stack|framework|license|licence|version|backend|frontend|gateway|vpn|proxy|staging|production"
    "|staging server|ci|runner|cdn|namespace|data ?center|cloud provider|package manager|shell|editor|os|time ?zone"
)

FORMS: tuple[Form, ...] = (
    Form(
        "remember",
        "Fact",
        _said(
            # "Remember, consistency is key" is advice; what is to be kept is said with "that" or a colon.
            r"(?:(?:i want you to |i need you to |you should |can you )?(?:remember|don't forget|do not forget|never forget|memori[sz]e"
            r"|save to memory)(?:\s+(?:this|for (?:later|next time|the future)))?(?:\s*:\s*(?:that\s+)?|,?\s+that\s+)"
            r"|(?:make a note|for the record|for future reference)(?:\s*[:,]\s*(?:that\s+)?|\s+that\s+))(?P<object>.+)"
        ),
        confidence=0.95,
        inner=True,
    ),
    Form(
        "remind",
        "TODO",
        _said(
            r"(?:todo|to-do|to do)\s*:\s*(?P<object>.+)|(?:remind me|don't let me forget)\s+(?:to|that|about)\s+(?P<task>.+)"
        ),
        confidence=0.9,
    ),
    Form(
        "due",
        "TODO",
        _said(
            r"(?:i|we)(?:'ve got to| have to| need to|'ll need to| must(?! have)| should(?! have| be\b))\s+(?P<object>.+)"
            r"|(?:i|we)(?:'ve got| have)\s+(?P<what>an?\s+(?:[\w'-]+\s+){0,4}(?:appointment|meeting|interview|deadline|exam|flight|call"
            r"|class|tournament|session|presentation|demo|review|release|reservation|dinner|party|wedding)\b.*)"
        ),
        confidence=0.85,
        dated=True,
    ),
    Form(
        "prefers",
        "Preference",
        _said(rf"i\s+{_ADVERBS}prefer\s+(?P<object>.+)"),
        "{who} prefers {object}",
        "prefers",
        confidence=0.95,
    ),
    Form(
        "likes",
        "Preference",
        _said(rf"i\s+{_ADVERBS}(?P<verb>love|like|enjoy|adore)\s+(?P<object>.+)"),
        "{who} {verbs} {object}",
        "likes",
        alone=True,
    ),
    Form(
        "fan",
        "Preference",
        _said(rf"i(?:'m| am)\s+{_ADVERBS}(?:so |very )?(?:a (?:big |huge |great )?fan of|into)\s+(?P<object>.+)"),
        "{who} likes {object}",
        "likes",
        alone=True,
        confidence=0.85,
    ),
    Form(
        "dislikes",
        "Preference",
        _said(
            rf"i\s+{_ADVERBS}(?:hate|dislike|detest|loathe|can't stand|cannot stand|don't (?:really )?like|do not like"
            r"|don't enjoy|despise)\s+(?P<object>.+)"
        ),
        "{who} dislikes {object}",
        "dislikes",
        alone=True,
    ),
    Form(
        "favourite",
        "Preference",
        _said(r"my (?:all[- ]time |absolute )?favou?rite (?P<kind>[\w -]{2,40}?)(?:'s|\s+is|\s+are)\s+(?P<object>.+)"),
        "{whose} favorite {kind} is {object}",
        "favorite {kind}",
        confidence=0.95,
    ),
    Form(
        "no longer",
        "Preference",
        _said(
            rf"(?:i|we)\s+(?:no longer\s+(?P<verb>{_HABITS}|like|live in|work at|work for|need|support)\s+(?P<old>.+)"
            rf"|(?:don't|do not)\s+(?P<verb2>{_HABITS}|like|live in|work at|work for|need|support)\s+(?P<old2>.+?)\s+any ?more)"
        ),
        "{who} no longer {verbs} {old}",
        "no longer {verbs}",
        confidence=0.9,
    ),
    Form(
        "switched",
        "Decision",
        _said(
            rf"{_WE}{_ADVERBS}(?:switched|moved|migrated|changed|converted)\s+(?:everything\s+|over\s+|all of it\s+)?"
            r"from\s+(?P<old>.+?)\s+to\s+(?P<object>.+)"
        ),
    ),
    Form(
        "switched to",
        "Decision",
        _said(rf"{_WE}{_ADVERBS}(?:switched|migrated)\s+(?:over\s+)?to\s+(?P<object>.+)"),
        confidence=0.85,
    ),
    Form(
        "always",
        "Preference",
        _said(rf"i\s+(?P<how>always|never)\s+(?P<verb>{_HABITS})\b(?P<object>.*)"),
        "{who} {how} {verbs} {object}",
        "{how} {verbs}",
        confidence=0.85,
    ),
    Form(
        "uses",
        "Preference",
        _said(
            rf"i\s+{_ADVERBS}use\s+(?P<object>.+)|i(?:'ve| have)\s+been\s+using\s+(?P<object2>.+?)\s+(?:for|since)\s+(?:\w+\s+){{0,2}}\w+(?:\s+and\b.*)?"
        ),
        "{who} uses {object}",
        "uses",
        plain=False,
        confidence=0.85,
    ),
    Form(
        "name",
        "Identity",
        _said(
            r"my (?:full |first |real )?name(?:'s|\s+is)\s+(?-i:(?P<object>[A-Z][\w'’.-]+(?:\s+[A-Z][\w'’.-]+){0,3}))(?:(?:\s*[,;]|\s+and\b).*)?"
        ),
        "The user's name is {object}",
        "name",
        subject="user",
        confidence=0.97,
    ),
    Form(
        "lives",
        "Identity",
        _said(
            rf"i(?:'m| am)?\s+{_ADVERBS}(?:live|living|based|reside)\s+in\s+(?-i:(?P<object>(?:the\s+)?[A-Z].{{1,80}}))"
        ),
        "{who} lives in {object}",
        "lives in",
        confidence=0.95,
    ),
    Form(
        "moved",
        "Identity",
        _said(
            # "I moved to Neovim" is no new address: without a word of when, why or with whom, nobody can tell.
            r"(?:i|we)(?:'ve| have)?\s+(?:just |recently |finally )?(?:relocated to|moved (?:out |over |back )?to)\s+"
            r"(?-i:(?P<object>(?:the\s+)?[A-Z][\w.'-]*(?:,?\s+[A-Z][\w.'-]*){0,3}))\s+"
            r"(?:last|this|in|for (?:work|my|the|a|our)|with my|with our|because|when|to be|together|\w+ (?:days?|weeks?|months?|years?) ago)\b.*"
        ),
        "{who} lives in {object}",
        "lives in",
    ),
    Form(
        "moved to",
        "Fact",
        _said(
            rf"i(?:'ve| have)?\s+{_ADVERBS}(?:moved|relocated)\s+to\s+(?-i:(?P<object>(?:the\s+)?[A-Z][^,;]{{1,60}}))(?:,.*)?"
        ),
        "{who} moved to {object}",
    ),
    Form(
        "works at",
        "Identity",
        _said(rf"i\s+{_ADVERBS}work\s+(?:at|for)\s+(?-i:(?P<object>(?:the\s+|a\s+)?[A-Z].{{1,80}}))"),
        "{who} works at {object}",
        "works at",
        confidence=0.95,
    ),
    Form(
        "works as",
        "Identity",
        _said(rf"i\s+{_ADVERBS}work\s+as\s+(?P<object>(?:an?|the)\s+.{{2,80}})"),
        "{who} works as {object}",
        "works as",
        confidence=0.95,
    ),
    Form(
        "role",
        "Identity",
        _said(
            rf"i(?:'m| am)\s+(?P<object>(?:an?|the)\s+(?:[\w+#.-]+\s+){{0,4}}?(?:{_ROLES})(?:\s+(?:at|for|in|from|with|who)\s+.{{2,80}})?)"
        ),
        "{who} is {object}",
        "is a",
    ),
    Form(
        "from",
        "Identity",
        _said(r"i(?:'m| am)\s+(?:originally\s+)?from\s+(?-i:(?P<object>[A-Z][\w .,'’-]{1,60}))"),
        "{who} is from {object}",
        "is from",
    ),
    Form(
        "trait",
        "Identity",
        _said(
            r"i(?:'m| am)\s+(?P<object>(?:severely |mildly |also )?(?:allergic to\s+.+|(?:a )?vegetarian|(?:a )?vegan|pescatarian"
            r"|lactose[- ]intolerant|gluten[- ]intolerant|diabetic|left-handed|colou?r-?blind|deaf|dyslexic|asthmatic)(?:[ ,].*)?)"
        ),
        "{who} is {object}",
        "is a",
        confidence=0.95,
    ),
    Form(
        "birthday",
        "Identity",
        _said(r"my birthday(?:'s|\s+is)\s+(?:on\s+)?(?P<object>(?:the\s+)?[\w ,.]{3,40})"),
        "{whose} birthday is {object}",
        "birthday",
        plain=False,
        confidence=0.95,
    ),
    Form(
        "relation",
        "Identity",
        _said(
            r"my (?P<kind>wife|husband|partner|girlfriend|boyfriend|son|daughter|dog|cat|brother|sister|mother|father|mom|dad"
            r"|boss|manager|team lead|colleague)(?:'s name)?(?:'s|\s+is)\s+(?:called\s+|named\s+)?"
            r"(?-i:(?P<object>[A-Z][\w'’-]+(?:\s+[A-Z][\w'’-]+){0,2}))(?:(?:\s*[,;]|\s+and\b).*)?"
        ),
        "{whose} {kind} is {object}",
        "{kind}",
    ),
    Form(
        "address",
        "Identity",
        _said(
            r"my (?P<kind>(?:work |personal )?(?:e-?mail(?: address)?|username|github (?:handle|username|account)|handle|phone number"
            r"|time ?zone|native language|mother tongue|job title|role|pronouns))(?:'s|\s+is|\s+are)\s+(?P<object>\S.{1,80})"
        ),
        "{whose} {kind} is {object}",
        "{kind}",
        plain=False,
    ),
    Form(
        "decided",
        "Decision",
        _said(
            rf"{_WE}{_ADVERBS}(?:decided|agreed|settled|opted|resolved)\s+(?P<object>(?:to|on|that|not to|against|for|in favou?r of)\s+.+)"
        ),
        predicate="decided",
        subject="",
        confidence=0.92,
    ),
    Form(
        "chose",
        "Decision",
        _said(rf"{_WE}{_ADVERBS}(?:chose|chosen|picked(?! up)|selected)\s+(?P<object>.+)"),
        plain=False,
        subject="",
    ),
    Form(
        "going with",
        "Decision",
        _said(
            r"(?:we're|we are|i'm|i am|we'll|we will|i'll|i will)\s+(?:go|going|stick|sticking|stay|staying)\s+with\s+(?P<object>.+)"
        ),
        plain=False,
        subject="",
    ),
    Form(
        "let's",
        "Decision",
        _said(r"let(?:'|’)?s\s+(?:go with|use|stick (?:with|to)|standardi[sz]e on|settle on|adopt)\s+(?P<object>.+)"),
        plain=False,
        subject="",
        confidence=0.8,
    ),
    Form(
        "decision",
        "Decision",
        _said(
            r"(?:the |our |my |final )*decision(?:\s+is|\s+was)?\s*[:,]?\s+(?:is\s+)?(?:to\s+|that\s+)?(?P<object>.+)"
        ),
        plain=False,
        subject="",
    ),
    Form(
        "from now on",
        "Process",
        # "From now on, I will give you a text" says what comes, not what holds.
        _said(
            r"(?:from now on|going forward|in (?:the )?future|from here on)[,:]?\s+(?:please\s+)?(?!(?:i'll|i will|i'm going to|i am going to)\b)(?P<object>.+)"
        ),
        "From now on: {object}",
        subject="",
    ),
    Form(
        "rule",
        "Process",
        _said(rf"(?:you (?:must|should) )?(?:always|never|don't ever|do not ever)\s+(?P<object>(?:{_COMMANDS})\b.+)"),
        subject="",
        confidence=0.85,
    ),
    Form(
        "we use",
        "Infrastructure",
        _said(rf"we\s+{_ADVERBS}(?:use|run|host)\s+(?P<object>.+)"),
        plain=False,
        subject="",
        confidence=0.88,
    ),
    Form(
        "deploy",
        "Infrastructure",
        _said(rf"we\s+{_ADVERBS}deploy\s+(?:\w+\s+)?(?:to|on|with|via|from|every)\s+(?P<object>.+)"),
        subject="",
        confidence=0.88,
    ),
    Form(
        "runs on",
        "Infrastructure",
        _said(
            r"(?P<subject>(?:the|our|my)\s+[\w/. -]{2,40}?)\s+(?P<verb>(?:runs?|listens?|lives?|is (?:running|listening|hosted|deployed"
            r"|served))\s+(?:on|at|in))\s+(?P<object>.+)"
        ),
        "{subject} {verb} {object}",
        "{verb}",
        subject="{subject}",
        plain=False,
    ),
    Form(
        "is",
        "Infrastructure",
        _said(
            rf"(?P<subject>(?:the(?!\s+(?:most|least|only|first|second|third|last|next|other|same)\b)|our|my)\s+(?:[\w-]+\s+){{0,3}}?(?:{_THINGS}))\s+"
            r"(?:is|is at|lives at|is called|is named)\s+(?!\w+ing\b|not\b|down\b|up\b|back\b|already\b|again\b|still\b|broken\b)(?P<object>[^,;]+?)(?:[,;].*|\s+and (?:it|we|i|the)\b.*)?"
        ),
        "{subject} is {object}",
        "is",
        subject="{subject}",
        plain=False,
        confidence=0.88,
    ),
)
