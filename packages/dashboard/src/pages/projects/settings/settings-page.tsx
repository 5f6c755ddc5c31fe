import { ProjectPage } from '../project-frame/project-page.tsx';
import { useProject } from '../project-frame/queries.ts';
import { LeaveCard } from './leave-card.tsx';
import { NameCard } from './name-card.tsx';
import { RetentionCard } from './retention-card.tsx';
import * as words from './settings.words.ts';
import { StopCard } from './stop-card.tsx';

/** The project's name, its emergency stop, its data retention, and the way to leave it. */
export default function SettingsPage() {
  const { role } = useProject();
  return (
    <ProjectPage title={words.title} width="narrow" saysStopped={false}>
      {role && (
        <>
          <StopCard />
          <NameCard />
          <RetentionCard />
          <LeaveCard />
        </>
      )}
    </ProjectPage>
  );
}
