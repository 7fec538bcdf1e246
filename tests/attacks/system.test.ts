import { expectRefusals } from './expect-refusals.ts';
import { systemSurfaces } from './surfaces.ts';
import { SystemScene } from './system-scene.ts';

expectRefusals(SystemScene.open, systemSurfaces);
