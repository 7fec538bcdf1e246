import { enableCompileCache } from 'node:module';

enableCompileCache();

// The reader of our output may have closed it (`| head`): that is no error, and nobody is left to
// report to.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

const { runCli } = await import('./program.ts');

process.exitCode = await runCli(process.argv.slice(2));
