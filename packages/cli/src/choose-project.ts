import type { Project } from '@permitry/server';
import { refused, usage } from './command-failure.ts';

/** The project meant by an id or a name; without either, the only one there is. Throws `CommandFailure`. */
export function chooseProject(projects: readonly Project[], idOrName: string | undefined): Project {
  const names = projects.map(({ name }) => `"${name}"`).join(', ');
  if (idOrName === undefined) {
    const [only, ...others] = projects;
    if (only === undefined)
      throw refused('There is no project yet; make one with: permitry init --mode test', 'not_found');
    if (others.length > 0) throw usage(`There is more than one project; name it with --project: ${names}.`);
    return only;
  }
  const wanted = idOrName.toLowerCase();
  const found = projects.find(({ id, name }) => id === idOrName || name.toLowerCase() === wanted);
  if (!found)
    throw refused(`There is no project "${idOrName}" here; there is ${names || 'none'}.`, 'not_found');
  return found;
}
