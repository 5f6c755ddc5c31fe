import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { ParameterTree } from '../../../parameter-tree/parameter-tree.tsx';
import { Card } from '../../../ui/card.tsx';
import { Listing } from '../../../ui/listing.tsx';
import { BareSelect } from '../../../ui/select.tsx';
import { Table } from '../../../ui/table.tsx';
import { RelativeTime } from '../../../ui/time.tsx';
import { useProjectId } from '../project-frame/queries.ts';
import { MOCK_CONNECTORS, mockRecordsQuery } from './queries.ts';

/** The calls that the mock connectors received. They only record them. */
export function MockRecordsCard() {
  const [connector, setConnector] = useState<string>(MOCK_CONNECTORS[0]);
  const query = useInfiniteQuery(mockRecordsQuery(useProjectId(), connector));
  const records = query.data?.pages.flatMap(({ data }) => data) ?? [];
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
      <Listing
        query={query}
        count={records.length}
        empty={{ icon: 'history', title: 'Nothing yet', lead: `Nobody had ${connector} do anything.` }}
        isInCard
      >
        <Table
          caption="What this connector did"
          rows={records}
          rowKey={({ intent_id }) => intent_id}
          columns={{
            Tool: ({ tool, intent_id }) => (
              <Link to={`/approve/${intent_id}`}>
                <InertText text={tool} />
              </Link>
            ),
            Arguments: (record) => (
              <ParameterTree params={record.arguments} label={`Arguments of ${record.tool}`} />
            ),
            Done: ({ at }) => <RelativeTime at={at} />,
          }}
        />
      </Listing>
    </Card>
  );
}
