/** Requests by who asked, by rule, and votes by person: tables whose bars only repeat the numbers. */
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { Card } from '../../../ui/card.tsx';
import { type Column, Table } from '../../../ui/table.tsx';
import type { Overview } from '../project-frame/wire.ts';

type Requester = Overview['by_requester']['top'][number];
type Rule = Overview['by_rule']['top'][number];
type Person = Overview['by_person']['top'][number];

export function ByRequester({ projectId, groups }: { projectId: string; groups: Overview['by_requester'] }) {
  const most = mostOf(groups.top, ({ intents }) => intents);
  const columns: Column<Requester>[] = [
    {
      key: 'who',
      header: 'Who',
      primary: true,
      cell: ({ type, id, display }) =>
        type === 'agent' ? (
          <Link to={`/projects/${projectId}/agents/${id}`}>
            <InertText text={display} />
          </Link>
        ) : (
          <InertText text={display} />
        ),
    },
    {
      key: 'intents',
      header: 'Asked',
      align: 'end',
      cell: ({ intents }) => <Bar of={intents} most={most} />,
    },
    { key: 'people', header: 'Put before people', align: 'end', cell: ({ asked }) => asked },
    { key: 'denied', header: 'Denied', align: 'end', cell: (one) => one.denied + one.auto_denied },
  ];
  return (
    <Group title="Who asks most" others={groups.others} noun={['other', 'others']}>
      <Table caption="Requests by who asked" columns={columns} rows={groups.top} rowKey={({ id }) => id} />
    </Group>
  );
}

export function ByRule({ groups }: { groups: Overview['by_rule'] }) {
  const most = mostOf(groups.top, ({ intents }) => intents);
  const columns: Column<Rule>[] = [
    {
      key: 'rule',
      header: 'Rule',
      primary: true,
      cell: ({ rule }) =>
        rule === null ? <span className="soft">no rule: the default</span> : <InertText text={rule} />,
    },
    {
      key: 'intents',
      header: 'Requests',
      align: 'end',
      cell: ({ intents }) => <Bar of={intents} most={most} />,
    },
    { key: 'approved', header: 'Approved', align: 'end', cell: (one) => one.approved + one.auto_approved },
    { key: 'denied', header: 'Denied', align: 'end', cell: (one) => one.denied + one.auto_denied },
  ];
  return (
    <Group title="By rule of the policy" others={groups.others} noun={['other rule', 'other rules']}>
      <Table
        caption="Requests by rule"
        columns={columns}
        rows={groups.top}
        rowKey={({ rule }) => rule ?? 'no rule'}
      />
    </Group>
  );
}

export function ByPerson({ groups }: { groups: Overview['by_person'] }) {
  if (groups.top.length === 0) return null;
  const most = mostOf(groups.top, ({ approvals, denials }) => approvals + denials);
  const columns: Column<Person>[] = [
    { key: 'person', header: 'Person', primary: true, cell: ({ person }) => <InertText text={person} /> },
    {
      key: 'votes',
      header: 'Decisions',
      align: 'end',
      cell: ({ approvals, denials }) => <Bar of={approvals + denials} most={most} />,
    },
    { key: 'approvals', header: 'Approvals', align: 'end', cell: ({ approvals }) => approvals },
    { key: 'denials', header: 'Denials', align: 'end', cell: ({ denials }) => denials },
  ];
  return (
    <Group title="Who decides" others={groups.others} noun={['other person', 'other people']}>
      <Table
        caption="Decisions by person"
        columns={columns}
        rows={groups.top}
        rowKey={({ person }) => person}
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
