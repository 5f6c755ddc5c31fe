import type { Project } from '@permitry/server';
import { CommandFailure } from './command-failure.ts';

/** The project meant by an id or a name; without either, the only one there is. Throws `CommandFailure`. */
export function chooseProject(projects: readonly Project[], idOrName: string | undefined): Project {
  const names = projects.map(({ name }) => `"${name}"`).join(', ');
  if (idOrName === undefined) {
    const [only, ...others] = projects;
    if (only === undefined)
      throw new CommandFailure(1, 'There is no project yet; make one with: permitry init --mode test', {
        code: 'not_found',
      });
    if (others.length > 0)
      throw new CommandFailure(2, `There is more than one project; name it with --project: ${names}.`);
    return only;
  }
  const wanted = idOrName.toLowerCase();
  const found = projects.find(({ id, name }) => id === idOrName || name.toLowerCase() === wanted);
  if (!found)
    throw new CommandFailure(1, `There is no project "${idOrName}" here; there is ${names || 'none'}.`, {
      code: 'not_found',
    });
  return found;
}
