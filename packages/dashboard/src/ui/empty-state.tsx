import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';

/** Says why the list is empty, and what to do. */
export function EmptyState({
  icon = 'inbox',
  title,
  lead,
  actions,
  children,
}: {
  icon?: IconName;
  title: string;
  lead?: ReactNode;
  actions?: ReactNode;
  /** Something longer, such as steps with commands. */
  children?: ReactNode;
}) {
  return (
    <div className="empty">
      <Icon name={icon} size={36} />
      <h2>{title}</h2>
      {lead && <p>{lead}</p>}
      {actions && <div className="button-row">{actions}</div>}
      {children && <div className="empty-body">{children}</div>}
    </div>
  );
}
