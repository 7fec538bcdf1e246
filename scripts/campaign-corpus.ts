import { type KnownChange, readCorpus } from './campaign-corpus-changes.ts';
import { openUnitTests } from './campaign-corpus-units.ts';
import { say } from './steps.ts';

/** `npm run campaign -- corpus units`: the example's unit tests on every change of its corpus. */
export async function corpusCampaign(words: readonly string[]): Promise<number> {
  const { faulty, harmless } = readCorpus();
  if (words[0] !== 'units') {
    say('npm run campaign -- corpus units');
    return 2;
  }
  return unitTests([...faulty, ...harmless]);
}

async function unitTests(changes: readonly KnownChange[]): Promise<number> {
  const units = await openUnitTests();
  try {
    let red = 0;
    for (const change of changes) {
      const { isGreen, output } = await units.run(change);
      say(`${isGreen ? '✓' : '✗'} ${change.name}`);
      if (isGreen) continue;
      red += 1;
      say(output);
    }
    say(`\n${changes.length - red} of ${changes.length} leave every unit test green.`);
    return red === 0 ? 0 : 1;
  } finally {
    await units.close();
  }
}
