import { Confinement } from './confinement.ts';

/** For tests of something else. */
export const unconfined: Confinement = new Confinement({
  level: 'off',
  read: [],
  environment: [],
  connect: [],
  state: '/nonesuch',
  shared: [],
});
