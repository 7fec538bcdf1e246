import { expectRefusals } from './expect-refusals.ts';
import { GuardedScene } from './guarded-scene.ts';
import { daemonSurfaces } from './surfaces.ts';

expectRefusals(GuardedScene.open, daemonSurfaces);
