import { type ReactNode, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { ProjectPage } from './project-page.tsx';
import { useProject } from './queries.ts';

/** A page of things that admins and owners alone see and make: their list, and a button that makes another. */
export function ManagedPage({
  title,
  lead,
  makeLabel,
  hidden,
  list,
  maker,
  children,
}: {
  title: string;
  lead: string;
  makeLabel: string;
  /** What others are told instead of the list. */
  hidden: string;
  list: ReactNode;
  /** The dialog in which one is made. */
  maker: (onClose: () => void) => ReactNode;
  /** For everybody, below. */
  children?: ReactNode;
}) {
  const { mayManage } = useProject();
  const [isMaking, setMaking] = useState(false);
  return (
    <ProjectPage
      title={title}
      lead={lead}
      actions={
        mayManage && (
          <Button tone="primary" icon="plus" onClick={() => setMaking(true)}>
            {makeLabel}
          </Button>
        )
      }
    >
      {mayManage ? list : <Notice>{hidden}</Notice>}
      {children}
      {isMaking && maker(() => setMaking(false))}
    </ProjectPage>
  );
}
