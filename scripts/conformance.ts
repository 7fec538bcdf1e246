import { compareConformance, isSame } from '../tests/harness/mcp/conformance.ts';
import { openConformance, type Speaks } from '../tests/harness/mcp/conformance-scene.ts';
import type { ConformanceRevision } from '../tests/harness/mcp/conformance-suite.ts';
import { say } from './steps.ts';

/**
 * `npm run conformance`: the official suite against the same server, directly and through the
 * gateway, in both revisions; and with a server that speaks only the older one.
 */
const runs: readonly [Speaks, ConformanceRevision][] = [
  ['both', '2026-07-28'],
  ['both', '2025-11-25'],
  ['older', '2025-11-25'],
];

let lost = 0;
for (const [speaks, revision] of runs) {
  const scene = await openConformance(speaks);
  say(`\n## ${revision}, in front of a server that speaks ${speaks}\n`);
  say('| scenario | checks | pass directly | pass through the gateway | difference |');
  say('| --- | ---: | ---: | ---: | --- |');
  for (const compared of await compareConformance(scene, revision)) {
    const { scenario, checks, direct, gateway } = compared;
    const missing = direct.filter((check) => !gateway.includes(check));
    const more = gateway.filter((check) => !direct.includes(check));
    const difference = [
      ...missing.map((check) => `lost ${check}`),
      ...more.map((check) => `gained ${check}`),
    ];
    if (!isSame(compared)) lost += difference.length;
    const said = difference.join('; ') || 'none';
    say(`| ${scenario} | ${checks} | ${direct.length} | ${gateway.length} | ${said} |`);
  }
  await scene[Symbol.asyncDispose]();
}
say(`\n${lost} differences.`);
process.exitCode = lost === 0 ? 0 : 1;
