/** Which project the navigation speaks of: the one in the address, else the last one looked at. */
import { useEffect } from 'react';
import { useParams } from 'react-router';
import { type Membership, useSignedIn } from '../api/session.ts';

const KEY = 'permitry-project';

function lastProject(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

export function useCurrentProject(): Membership | undefined {
  const { memberships } = useSignedIn();
  const { projectId } = useParams();
  const wanted = projectId ?? lastProject();
  const found = memberships.find(({ project_id }) => project_id === wanted);
  useEffect(() => {
    if (projectId === undefined || found === undefined) return;
    try {
      localStorage.setItem(KEY, projectId);
    } catch {
      // The first project is as good a beginning next time.
    }
  }, [projectId, found]);
  return found ?? (projectId === undefined ? memberships[0] : undefined);
}
