import { useQuery } from '@tanstack/react-query';
import { ErrorPanel } from '../../../ui/notice.tsx';
import { Waiting } from '../../../ui/waiting.tsx';
import { ProjectPage } from '../project-frame/project-page.tsx';
import { useProjectId } from '../project-frame/queries.ts';
import * as words from './policy.words.ts';
import { policyQuery } from './policy-queries.ts';
import { PolicyWorkspace } from './policy-workspace.tsx';
import './policy-page.css';

export default function PolicyPage() {
  const projectId = useProjectId();
  return (
    <ProjectPage title={words.title} lead={words.lead}>
      <Contents key={projectId} projectId={projectId} />
    </ProjectPage>
  );
}

function Contents({ projectId }: { projectId: string }) {
  const { data, error, refetch } = useQuery(policyQuery(projectId));
  if (data) return <PolicyWorkspace projectId={projectId} active={data} />;
  return error ? <ErrorPanel error={error} onRetry={() => void refetch()} /> : <Waiting />;
}
