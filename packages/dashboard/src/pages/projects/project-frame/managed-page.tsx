import { type ReactNode, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { ProjectPage } from './project-page.tsx';
import { useProject } from './queries.ts';

/** A list that only admins and owners can see and add to, with a button that creates an item. */
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
  /** The text for everybody else, instead of the list. */
  hidden: string;
  list: ReactNode;
  /** The dialog that creates an item. */
  maker: (onClose: () => void) => ReactNode;
  /** Content below the list, for everybody. */
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
