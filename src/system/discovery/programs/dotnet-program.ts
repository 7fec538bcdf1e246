import { posix } from 'node:path';
import { buildFolder, filesIn, type Program, type ProgramPlace } from './program-place.ts';

export function dotnetProgram(place: ProgramPlace): Program {
  const projects = filesIn(place).filter(
    (file) => /\.(?:cs|fs)proj$/.test(file) && !/tests?\b/i.test(file),
  );
  const [project] = projects.toSorted((one, other) => one.length - other.length);
  if (project === undefined) return { tagging: 'baggage' };
  const assembly = posix.basename(project).replace(/\.\w+proj$/, '');
  return {
    build: `dotnet publish ${project} --configuration Release --output ${buildFolder}`,
    command: `ASPNETCORE_URLS=http://127.0.0.1:$PORT dotnet ${buildFolder}/${assembly}.dll`,
    tagging: 'baggage',
  };
}
