"""Words that say nothing about where code must change.

Three small sets: English function words, the vocabulary of bug reports, and names that every
program of a language uses. They are dropped before any search; the index itself weighs the rest.
"""

from __future__ import annotations

_ENGLISH = """
a about above after again against all also although always am an and another any anything are
aren as at away back be because been before being below between both but by came can cannot come
comes could couldn did didn do does doesn doing don done down due during each either else enough
especially etc even ever every everything far few first for found from further gave get gets
getting give given gives go goes going gone got had hadn has hasn have haven having he hello
help hence her here hers hi him his how however i if in instead into is isn it its itself just
keep kept know known last later least less let like likely ll long look looks made mainly make
makes making many may maybe me mean means might mine more most much must my myself need needed
needs neither never new next no nor not nothing now of off often oh ok on once one ones only or
other others otherwise our ours out over own per perhaps please possible possibly probably put
quite rather re really right said same saw say says second see seem seems seen several shall she
should shouldn show shows similar since so some something sometimes somewhere soon still such
sure take taken takes than thank thanks that the their them then there these they thing things
think third this those though three through thus till to together too took toward try trying two
under unless until up upon us use used useful uses using usually ve very via want wanted wants
was wasn way we well went were weren what whatever when where whether which while who whole whom
whose why will with within without won would wouldn yes yet you your yours yourself
"""

_REPORTING = """
actual actually additional affected attached attachment behave behaves behavior behaviour bug
bugs case cases cause caused causes code comment consider correct correctly current currently
describe described description easily effect encountered error errors example examples expect
expected explain fail failed failing fails fine fix fixed following github happen happened
happening happens incorrect incorrectly information issue issues latest minimal needs note
observed occurs output patch patches previous previously problem problems produce produced
produces proper properly question raise raised raises regression report reported reporter
reports repro reproduce reproduced reproducible reproduction result resulting results run
running runs sample script simple simply snippet solution steps suggest suggested suggestion
summary tested thrown throws ticket tried tries unexpected version versions work workaround
worked working works wrong
"""

_PROGRAMMING = """
args array as assert async await bar baz begin bin bool boolean break call char class cls com
conda console const continue def delete dict dist do done double echo eggs elif else end example
except exe exports false file finally float fn foo for from func function global home html http
https if import in int isinstance json kwargs lambda len let lib lib64 line list local log long
main module module.exports new nil none np np.array null number numpy object opt org os packages
pandas pass pd pip plt print private protected public py python python2 python3 qux raise range
re recent require return returns root self set signed site spam static stderr stdin stdout str
string struct super sys test tests then this tmp traceback true try tuple txt type undefined
unsigned users usr var void while with www yield
"""

ENGLISH = frozenset(_ENGLISH.split())
REPORTING = frozenset(_REPORTING.split())
PROGRAMMING = frozenset(_PROGRAMMING.split())
STOP = ENGLISH | REPORTING | PROGRAMMING
