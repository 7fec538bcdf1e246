import { Confinement } from './confinement.ts';

/** For tests of something else. */
export const unconfined: Confinement = new Confinement({
  level: 'off',
  read: [],
  environment: [],
  state: '/nonesuch',
  installs: '/nonesuch',
});
