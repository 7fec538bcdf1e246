import type { Profile } from '../pipeline/profile.ts';

/** Pure. Full has promised to measure all that suites send; quick only says what it left out. */
export function tellUntaken(
  suites: readonly string[],
  profile: Profile,
): { readonly undecided: readonly string[]; readonly remarks: readonly string[] } {
  if (suites.length === 0) return { undecided: [], remarks: [] };
  const told = [
    `not measured: what ${suites.join(', ')} sent was not kept, too much else ran at the same time`,
  ];
  return profile === 'full' ? { undecided: told, remarks: [] } : { undecided: [], remarks: told };
}
