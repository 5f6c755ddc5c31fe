/** Requests by requester and by rule, and decisions by person. The bars in these tables only repeat the numbers. */
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { Card } from '../../../ui/card.tsx';
import { Table } from '../../../ui/table.tsx';
import { useProjectId } from '../project-frame/queries.ts';
import type { Overview } from '../project-frame/wire.ts';

export function ByRequester({ groups }: { groups: Overview['by_requester'] }) {
  const projectId = useProjectId();
  const most = mostOf(groups.top, ({ intents }) => intents);
  return (
    <Group title="Who asks most" others={groups.others} noun={['other', 'others']}>
      <Table
        caption="Requests by who asked"
        rows={groups.top}
        columns={{
          Who: ({ type, id, display }) =>
            type === 'agent' ? (
              <Link to={`/projects/${projectId}/agents/${id}`}>
                <InertText text={display} />
              </Link>
            ) : (
              <InertText text={display} />
            ),
          Asked: ({ intents }) => <Bar of={intents} most={most} />,
          'Put before people': ({ asked }) => asked,
          Denied: (one) => one.denied + one.auto_denied,
        }}
        numbers={['Asked', 'Put before people', 'Denied']}
      />
    </Group>
  );
}

export function ByRule({ groups }: { groups: Overview['by_rule'] }) {
  const most = mostOf(groups.top, ({ intents }) => intents);
  return (
    <Group title="By rule of the policy" others={groups.others} noun={['other rule', 'other rules']}>
      <Table
        caption="Requests by rule"
        rows={groups.top}
        rowKey={({ rule }) => rule ?? 'no rule'}
        columns={{
          Rule: ({ rule }) =>
            rule === null ? <span className="soft">no rule: the default</span> : <InertText text={rule} />,
          Requests: ({ intents }) => <Bar of={intents} most={most} />,
          Approved: (one) => one.approved + one.auto_approved,
          Denied: (one) => one.denied + one.auto_denied,
        }}
        numbers={['Requests', 'Approved', 'Denied']}
      />
    </Group>
  );
}

export function ByPerson({ groups }: { groups: Overview['by_person'] }) {
  if (groups.top.length === 0) return null;
  const most = mostOf(groups.top, ({ approvals, denials }) => approvals + denials);
  return (
    <Group title="Who decides" others={groups.others} noun={['other person', 'other people']}>
      <Table
        caption="Decisions by person"
        rows={groups.top}
        rowKey={({ person }) => person}
        columns={{
          Person: ({ person }) => <InertText text={person} />,
          Decisions: ({ approvals, denials }) => <Bar of={approvals + denials} most={most} />,
          Approvals: ({ approvals }) => approvals,
          Denials: ({ denials }) => denials,
        }}
        numbers={['Decisions', 'Approvals', 'Denials']}
      />
    </Group>
  );
}

function Group({
  title,
  others,
  noun,
  children,
}: {
  title: string;
  others: number;
  noun: [one: string, many: string];
  children: ReactNode;
}) {
  return (
    <section className="stack tight">
      <h2>{title}</h2>
      <Card flush>{children}</Card>
      {others > 0 && (
        <p className="soft small">
          and {others} {noun[others === 1 ? 0 : 1]}
        </p>
      )}
    </section>
  );
}

function mostOf<T>(groups: readonly T[], sizeOf: (group: T) => number): number {
  return Math.max(1, ...groups.map(sizeOf));
}

/** A number with a bar behind it. */
function Bar({ of, most }: { of: number; most: number }) {
  return (
    <span className="overview-bar">
      <span className="overview-bar-fill" style={{ width: `${(100 * of) / most}%` }} aria-hidden="true" />
      <span className="tabular">{of}</span>
    </span>
  );
}
