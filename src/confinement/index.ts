export { type ConfinedProgram, Confinement, formatConfinement } from './confinement.ts';
export { confinementLimits } from './limits.ts';
