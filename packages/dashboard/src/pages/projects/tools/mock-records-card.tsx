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
import * as words from './tools.words.ts';

/** The calls that the mock connectors received. The connectors only record them. */
export function MockRecordsCard() {
  const [connector, setConnector] = useState<string>(MOCK_CONNECTORS[0]);
  const query = useInfiniteQuery(mockRecordsQuery(useProjectId(), connector));
  const records = query.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <Card
      title={words.mocks.title}
      lead={words.mocks.lead}
      flush
      actions={
        <BareSelect
          aria-label={words.mocks.connector}
          value={connector}
          options={MOCK_CONNECTORS.map((value) => ({ value, label: value }))}
          onChange={(event) => setConnector(event.target.value)}
        />
      }
    >
      <Listing
        query={query}
        count={records.length}
        empty={{ icon: 'history', ...words.noCalls(connector) }}
        isInCard
      >
        <Table
          caption={words.mocks.list}
          rows={records}
          rowKey={({ intent_id }) => intent_id}
          columns={{
            [words.properties.tool]: ({ tool, intent_id }) => (
              <Link to={`/approve/${intent_id}`}>
                <InertText text={tool} />
              </Link>
            ),
            [words.properties.arguments]: (record) => (
              <ParameterTree params={record.arguments} label={words.argumentsOf(record.tool)} />
            ),
            [words.properties.called]: ({ at }) => <RelativeTime at={at} />,
          }}
        />
      </Listing>
    </Card>
  );
}
