/** The project that the navigation shows: the one in the URL, else the last one visited. */
import { useEffect } from 'react';
import { useParams } from 'react-router';
import { keep, recall } from '../api/kept-on-device.ts';
import { type Membership, useSignedIn } from '../api/session.ts';

const KEY = 'permitry-project';

export function useCurrentProject(): Membership | undefined {
  const { memberships } = useSignedIn();
  const { projectId } = useParams();
  const wanted = projectId ?? recall(KEY);
  const found = memberships.find(({ project_id }) => project_id === wanted);
  useEffect(() => {
    if (projectId !== undefined && found !== undefined) keep(KEY, projectId);
  }, [projectId, found]);
  return found ?? (projectId === undefined ? memberships[0] : undefined);
}
