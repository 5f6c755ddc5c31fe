import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { ParameterTree } from '../../../parameter-tree/parameter-tree.tsx';
import { Card } from '../../../ui/card.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorPanel } from '../../../ui/notice.tsx';
import { Pager } from '../../../ui/pager.tsx';
import { BareSelect } from '../../../ui/select.tsx';
import { type Column, Table } from '../../../ui/table.tsx';
import { RelativeTime } from '../../../ui/time.tsx';
import { Waiting } from '../../../ui/waiting.tsx';
import { MOCK_CONNECTORS, mockRecordsQuery } from './queries.ts';

/** What the mock connectors did: nothing but to keep what they were asked for. */
export function MockRecordsCard({ projectId }: { projectId: string }) {
  const [connector, setConnector] = useState<string>(MOCK_CONNECTORS[0]);
  const query = useInfiniteQuery(mockRecordsQuery(projectId, connector));
  const records = query.data?.pages.flatMap(({ data }) => data) ?? [];
  const columns: Column<(typeof records)[number]>[] = [
    {
      key: 'tool',
      header: 'Tool',
      primary: true,
      cell: ({ tool, intent_id }) => (
        <Link to={`/approve/${intent_id}`}>
          <InertText text={tool} />
        </Link>
      ),
    },
    {
      key: 'arguments',
      header: 'Arguments',
      cell: (record) => <ParameterTree params={record.arguments} label={`Arguments of ${record.tool}`} />,
    },
    { key: 'at', header: 'Done', cell: ({ at }) => <RelativeTime at={at} /> },
  ];
  return (
    <Card
      title="What the mock connectors did"
      lead="They do nothing, and keep what they were asked for."
      flush
      actions={
        <BareSelect
          aria-label="Mock connector"
          value={connector}
          options={MOCK_CONNECTORS.map((value) => ({ value, label: value }))}
          onChange={(event) => setConnector(event.target.value)}
        />
      }
    >
      <ErrorPanel error={query.error} onRetry={query.refetch} />
      {query.isPending && <Waiting />}
      {query.data && records.length === 0 && (
        <EmptyState icon="history" title="Nothing yet" lead={`Nobody had ${connector} do anything.`} />
      )}
      {records.length > 0 && (
        <>
          <Table
            caption="What this connector did"
            columns={columns}
            rows={records}
            rowKey={({ intent_id }) => intent_id}
          />
          <Pager
            hasMore={query.hasNextPage}
            isLoading={query.isFetchingNextPage}
            onMore={() => query.fetchNextPage()}
            shown={records.length}
          />
        </>
      )}
    </Card>
  );
}
