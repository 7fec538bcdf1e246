import { cpSync, globSync, rmSync } from 'node:fs';
import { runSteps } from './steps.ts';

/**
 * dist/, or the folder that is named: what the package ships. TypeScript compiles; SQL and what
 * runs inside services are copied beside it.
 */
const folder = process.argv[2] ?? 'dist';
rmSync(folder, { recursive: true, force: true });
const [compiled] = await runSteps([
  { name: 'compile', command: ['tsc', '-p', 'tsconfig.build.json', '--outDir', folder] },
]);
for (const file of globSync('src/**/*.{sql,cjs}', { exclude: ['**/fixtures/**'] }))
  cpSync(file, file.replace(/^src/, folder));
process.exitCode = compiled?.ok ? 0 : 1;
