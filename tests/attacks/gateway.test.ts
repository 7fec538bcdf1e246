import { expectRefusals } from './expect-refusals.ts';
import { GatewayScene } from './gateway-scene.ts';
import { gatewaySurfaces } from './surfaces.ts';

expectRefusals(GatewayScene.open, gatewaySurfaces);
