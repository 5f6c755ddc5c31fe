import { useQueries, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { Badge, RiskBadge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { formatCount } from '../../../ui/format.ts';
import { Listing } from '../../../ui/listing.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Table } from '../../../ui/table.tsx';
import { ProjectPage } from '../project-frame/project-page.tsx';
import { useProject, useProjectId } from '../project-frame/queries.ts';
import { MockRecordsCard } from './mock-records-card.tsx';
import {
  MOCK_CONNECTORS,
  needsReview,
  type ProtectedTool,
  protectedToolsQuery,
  type Upstream,
  upstreamsQuery,
  upstreamToolsQuery,
} from './queries.ts';
import { AddServerDialog } from './server-dialogs.tsx';
import { UpstreamState } from './tool-state.tsx';
import * as words from './tools.words.ts';
import './tools.css';

/** Every tool that agents can use through the gateway, and the MCP servers behind it. */
export default function ToolsPage() {
  const { mayManage } = useProject();
  const [isAdding, setAdding] = useState(false);
  return (
    <ProjectPage
      title={words.title}
      lead={words.lead}
      actions={
        mayManage && (
          <Button tone="primary" icon="plus" onClick={() => setAdding(true)}>
            {words.addServer.open}
          </Button>
        )
      }
    >
      <Servers />
      <AvailableTools />
      <MockRecordsCard />
      {isAdding && <AddServerDialog onClose={() => setAdding(false)} />}
    </ProjectPage>
  );
}

interface Row {
  upstream: Upstream;
  available: number | undefined;
  unreviewed: number;
}

function Servers() {
  const { projectId, mayManage } = useProject();
  const query = useQuery(upstreamsQuery(projectId));
  const upstreams = query.data?.data ?? [];
  const tools = useQueries({ queries: upstreams.map(({ id }) => upstreamToolsQuery(projectId, id)) });
  const rows = upstreams.map((upstream, index): Row => {
    const known = tools[index]?.data?.data;
    return {
      upstream,
      available: known?.filter(({ state }) => state === 'approved').length,
      unreviewed: known?.filter(needsReview).length ?? 0,
    };
  });
  const toReview = rows.filter((row) => row.unreviewed > 0);
  return (
    <>
      {toReview.length > 0 && mayManage && (
        <Notice tone="warn" title={words.needReview(toReview.reduce((sum, row) => sum + row.unreviewed, 0))}>
          <p>
            {words.reviewBeforeUse(
              toReview.map(({ upstream }, index) => (
                <span key={upstream.id}>
                  {index > 0 && ', '}
                  <Link to={`/projects/${projectId}/tools/${upstream.id}`}>{upstream.name}</Link>
                </span>
              )),
            )}
          </p>
        </Notice>
      )}
      <Card title={words.servers} flush>
        <Listing
          query={query}
          count={rows.length}
          empty={{
            icon: 'laptop',
            title: words.noServers.title,
            lead: mayManage ? words.noServers.leadForManagers : words.noServers.leadForOthers,
            children: mayManage && (
              <CodeBlock
                code="permitry upstream add files-of-team -- npx -y some-mcp-server"
                what={words.noServers.theCommand}
                wrap
              />
            ),
          }}
          isInCard
        >
          <Table
            caption={words.serverList}
            rows={rows}
            rowKey={({ upstream }) => upstream.id}
            columns={{
              [words.properties.server]: ({ upstream }) => (
                <div className="tools-description">
                  <Link to={`/projects/${projectId}/tools/${upstream.id}`}>{upstream.name}</Link>
                  <div className="soft small">
                    <InertText text={upstream.target} />
                  </div>
                </div>
              ),
              [words.properties.state]: ({ upstream }) => (
                <div>
                  <UpstreamState upstream={upstream} />
                  {upstream.error !== null && (
                    <div className="soft small">
                      <InertText text={upstream.error} />
                    </div>
                  )}
                </div>
              ),
              [words.properties.availableTools]: ({ available }) =>
                available === undefined ? '…' : formatCount(available),
              [words.properties.needsReview]: ({ unreviewed: count }) =>
                count === 0 ? words.none : <Badge tone="warn">{words.toolCount(count)}</Badge>,
            }}
            numbers={[words.properties.availableTools]}
          />
        </Listing>
      </Card>
    </>
  );
}

const IS_MOCK: ReadonlySet<string> = new Set(MOCK_CONNECTORS);

function AvailableTools() {
  const query = useQuery(protectedToolsQuery(useProjectId()));
  const tools = query.data?.data ?? [];
  const [shown, setShown] = useState<ProtectedTool | null>(null);
  return (
    <Card
      title={words.available}
      lead={words.endpoints(
        <code>{`${location.origin}/mcp`}</code>,
        <code>{`${location.origin}/api/mcp-gateway`}</code>,
      )}
      flush
    >
      <Listing query={query} count={tools.length} empty={{ icon: 'laptop', ...words.noTools }} isInCard>
        <Table
          caption={words.available}
          rows={tools}
          rowKey={({ name }) => name}
          columns={{
            [words.properties.tool]: ({ name, description }) => (
              <div className="tools-description">
                <code>{name}</code>
                <div className="soft small">
                  <InertText text={description} fold={140} />
                </div>
              </div>
            ),
            [words.properties.connector]: ({ connector }) => (
              <span>
                {connector} {IS_MOCK.has(connector) && <Badge title={words.mockMeans}>{words.mock}</Badge>}
              </span>
            ),
            [words.properties.risk]: ({ risk_tier }) => <RiskBadge tier={risk_tier} />,
          }}
          actions={(tool) => (
            <Button size="s" aria-label={words.viewArgumentsOf(tool.name)} onClick={() => setShown(tool)}>
              {words.viewArguments}
            </Button>
          )}
          actionsLabel={words.properties.arguments}
        />
      </Listing>
      {shown && (
        <Dialog
          open
          title={words.argumentsOf(shown.name)}
          width="wide"
          onClose={() => setShown(null)}
          actions={<Button onClick={() => setShown(null)}>{words.close}</Button>}
        >
          <p>{words.schemaMeans}</p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard */}
          <pre className="tools-definition" tabIndex={0}>
            <InertText text={JSON.stringify(shown.input_schema, null, 2)} fold={8000} />
          </pre>
        </Dialog>
      )}
    </Card>
  );
}
