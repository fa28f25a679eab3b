#!/usr/bin/env bash
# include_directions.sh ROOT: each folder includes only what is listed for it here, directly, and
# reaches nothing that is walled off from it, through any chain of includes. Prints every breach.
set -euo pipefail
cd "$1"
find attention oracle estimator reports cli -type f | LC_ALL=C sort | perl -e '
use strict; use warnings;

my $std = qr{<[a-z0-9_]+>};  # <vector>, <cmath>: no slash, no dot
sub own { my $names = shift; qr{"$names\.h"} }
my $name = qr{[a-z0-9_]+};
my $types = own(qr{attention/(?:error|spelling|shape|tensor_view|half|head_map|visibility_rule|score_rule|problem_spec|tiles)});
my $parameters = own(qr{attention/(?:matrix|layer_norm|feed_forward|multi_head|block)});  # of blocks, which the oracle reads

my %everywhere = (
  attention => [$std, own(qr{attention/$name})],
  oracle    => [$std, own(qr{oracle/$name}), $types, $parameters, qr{<boost/multiprecision/$name\.hpp>}],
  estimator => [$std, own(qr{estimator/$name}), $types, qr{<nlohmann/json_fwd\.hpp>}],
  reports   => [$std, own(qr{reports/$name})],
  cli       => [$std, own(qr{(?:cli|attention|estimator|reports|oracle)/$name}),
                own(qr{tests/(?:candidates|problem_files|properties)/$name})],
);
my %in_sources = (  # *.cpp only: what a user of the headers does not see
  estimator => [qr{<nlohmann/json\.hpp>}],
  reports   => [own("attention/error"), qr{<fmt/$name\.h>}],
  cli       => [qr{<fmt/$name\.h>}, qr{<nlohmann/json\.hpp>}, qr{<boost/program_options\.hpp>}],
);
my %once = ("cli/main.cpp" => [qr{<unistd\.h>}], "cli/verify.cpp" => [qr{<fnmatch\.h>}]);

my $multiprecision = qr{^boost/multiprecision};
my %walled_off = (
  attention => $multiprecision,
  estimator => $multiprecision,
  reports   => $multiprecision,
  cli       => $multiprecision,
  oracle    => qr{^attention/(?:explicit_attention|streaming_attention|attention_trace|visibility|kv_head|scoring|softmax)\.h$},
);

my (%includes, $breaches);
sub breach { print "@_\n"; $breaches = 1 }

while (my $file = <STDIN>) {
  chomp $file;
  my ($folder) = split m{/}, $file;
  local $/;
  open my $in, "<", $file or die "$file: $!";
  my $text = <$in>;
  $text =~ s/\\\r?\n//g;
  $text =~ s{("(?:\\.|[^"\\\n])*")|//[^\n]*|/\*.*?\*/}{$1 // " "}gse;
  my @allowed = (@{$everywhere{$folder}}, $file =~ /\.cpp$/ ? @{$in_sources{$folder} // []} : (),
                 @{$once{$file} // []});
  for my $line (split /\n/, $text) {
    breach("$file: $line: modules are not used") if $line =~ /^\s*(?:export\s+)?import\b/;
    next unless $line =~ /^\s*(?:#|%:|\?\?=)\s*(?:include\w*|import)\b\s*(.*?)\s*$/;
    my $what = $1;
    breach("$file: $what is not among what $folder may include") unless grep { $what =~ /^$_$/ } @allowed;
    push @{$includes{$file}}, $1 if $what =~ /^[<"](.*)[>"]$/;
  }
}

for my $file (sort keys %includes) {
  my ($folder) = split m{/}, $file;
  my @paths = map { [$file, $_] } @{$includes{$file}};
  my %seen;
  while (my $path = shift @paths) {
    my $last = $path->[-1];
    next if $seen{$last}++;
    breach(join(" -> ", @$path) . ": walled off from $folder") if $last =~ $walled_off{$folder};
    push @paths, map { [@$path, $_] } @{$includes{$last} // []};
  }
}
exit($breaches // 0);
'
