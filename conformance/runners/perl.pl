# Perl: Encode, strict ("UTF-8") and lax ("utf8", Perl's extended UTF-8).

use strict;
use warnings;
no warnings qw(utf8 surrogate nonchar non_unicode);
use Encode ();

# The UTF-8 of the code points, surrogates included; Perl's own extension above U+10FFFF.
sub hex_of { my ($text) = @_; utf8::encode($text); return unpack("H*", $text) }

my @operations = (
    ['decode("UTF-8"), FB_CROAK', sub { eval { hex_of(Encode::decode("UTF-8", $_[0], Encode::FB_CROAK)) } // "-" }],
    ['decode("utf8"), FB_CROAK', sub { eval { hex_of(Encode::decode("utf8", $_[0], Encode::FB_CROAK)) } // "-" }],
    ['decode("UTF-8")', sub { hex_of(Encode::decode("UTF-8", $_[0])) }],
    ['decode("utf8")', sub { hex_of(Encode::decode("utf8", $_[0])) }],
);
my @names = map { my $name = $_->[0]; $name =~ s/"/\\"/g; "\"$name\"" } @operations;
printf "{\"program\": \"Perl\", \"version\": \"%vd\", \"operations\": [%s]}\n", $^V, join(", ", @names);
while (my $line = <STDIN>) {
    chomp $line;
    my $data = pack("H*", $line);
    print join("\t", map { my $copy = $data; $_->[1]->($copy) } @operations), "\n";
}
