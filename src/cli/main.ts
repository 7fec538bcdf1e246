import { enableCompileCache } from 'node:module';

enableCompileCache();

// Whoever reads us may have seen enough (`| head`): that is no error, and nobody is left to tell.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

const { runCli } = await import('./program.ts');

process.exitCode = await runCli(process.argv.slice(2));
