import { fileURLToPath } from 'node:url';

/** The program that stands for a pod; the keeper starts it like a local service. */
export const podRunMain: string = fileURLToPath(new URL('./run/main.ts', import.meta.url));
