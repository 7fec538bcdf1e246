import { freshBundle } from '../../scripts/fresh-bundle.ts';

/** For `globalSetup`: workers inherit where the programs are that `programs.ts` names. */
export default async function setup(): Promise<void> {
  process.env.SURETY_TEST_BUNDLE = await freshBundle();
}
