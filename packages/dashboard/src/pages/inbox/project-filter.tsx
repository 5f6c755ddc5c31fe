import { useSignedIn } from '../../api/session.ts';
import { BareSelect } from '../../ui/select.tsx';
import * as words from './request-list.words.ts';

/** Selects one of the person's projects, or all. Renders nothing for people in only one project. */
export function ProjectFilter({ value, onValue }: { value: string; onValue: (id: string) => void }) {
  const { memberships } = useSignedIn();
  if (memberships.length < 2) return null;
  return (
    <BareSelect
      aria-label={words.project}
      value={value}
      options={[
        { value: '', label: words.allProjects },
        ...memberships.map(({ project_id, project_name, mode }) => ({
          value: project_id,
          label: mode === 'test' ? words.testProject(project_name) : project_name,
        })),
      ]}
      onChange={(event) => onValue(event.target.value)}
    />
  );
}
