import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exitCodes, type RunCommand } from '../../command.ts';
import { makeServiceFile } from './service-file.ts';

const program = fileURLToPath(new URL('../../../../bin/surety.js', import.meta.url));

/** Writes the file but does not enable it: that is a decision about the machine. */
export const install: RunCommand = async ({ place, output, options }) => {
  const { path, text, enable, disable } = makeServiceFile({
    directory: place.root,
    program: [process.execPath, program],
    platform: process.platform,
    isRoot: process.getuid?.() === 0,
    configHome: process.env.XDG_CONFIG_HOME,
  });
  output.value({ path, text, enable, disable, written: options.print !== true });
  if (options.print === true) {
    output.line(`# ${path}\n${text}`);
    return exitCodes.ok;
  }
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  output.line(`${output.tone('good', 'written')}  ${path}`);
  output.line(`    start it now and with the machine   ${enable}`);
  output.line(`    undo                                ${disable}; rm ${path}`);
  return exitCodes.ok;
};
