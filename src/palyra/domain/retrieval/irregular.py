"""English forms that no suffix rule reaches, each under the word it is a form of."""

from typing import Final

_FORMS: Final = """
be: was were been am is are
beat: beaten
become: became
begin: began begun
bend: bent
bite: bit bitten
bleed: bled
blow: blew blown
break: broke broken
bring: brought
build: built
buy: bought
catch: caught
choose: chose chosen
come: came
creep: crept
deal: dealt
dig: dug
draw: drew drawn
dream: dreamt
drink: drank drunk
drive: drove driven
eat: ate eaten
fall: fell fallen
feed: fed
feel: felt
fight: fought
find: found
fly: flew flown
forget: forgot forgotten
forgive: forgave forgiven
freeze: froze frozen
get: got gotten
give: gave given
go: went gone
grow: grew grown
hang: hung
hear: heard
hide: hid hidden
hold: held
keep: kept
kneel: knelt
know: knew known
lay: laid
lead: led
leave: left
lend: lent
lose: lost
make: made
mean: meant
meet: met
pay: paid
ride: rode ridden
ring: rang rung
rise: rose risen
run: ran
say: said
see: saw seen
seek: sought
sell: sold
send: sent
sew: sewn
shake: shook shaken
shine: shone
shoot: shot
show: shown
shrink: shrank shrunk
sing: sang sung
sink: sank sunk
sit: sat
sleep: slept
slide: slid
speak: spoke spoken
spend: spent
spin: spun
stand: stood
steal: stole stolen
stick: stuck
strike: struck
swear: swore sworn
sweep: swept
swim: swam swum
swing: swung
take: took taken
teach: taught
tear: tore torn
tell: told
think: thought
throw: threw thrown
understand: understood
wake: woke woken
wear: wore worn
weep: wept
win: won
write: wrote written
child: children kid kids
foot: feet
goose: geese
half: halves
knife: knives
leaf: leaves
life: lives
man: men
mouse: mice
person: people persons
shelf: shelves
thief: thieves
tooth: teeth
wife: wives
wolf: wolves
woman: women
mother: mom mum mommy mama
father: dad daddy papa
grandmother: grandma granny
grandfather: grandpa
photo: photograph photographs pic pics picture pictures
television: tv
bicycle: bike bikes
refrigerator: fridge
2: two
3: three
4: four
5: five
6: six
7: seven
8: eight
9: nine
10: ten
11: eleven
12: twelve
20: twenty
30: thirty
40: forty
50: fifty
100: hundred
1000: thousand
color: colour colours
favorite: favourite favourites
center: centre centres
theater: theatre theatres
"""

IRREGULAR: Final = {
    form: base for line in _FORMS.strip().splitlines() for base, forms in [line.split(": ")] for form in forms.split()
}
"""form to base, both before stemming. Everyday short names of things count as forms: people ask with one, tell with
the other."""
