/** The tools of one server, to review, approve and disable. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { RiskBadge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ConfirmDialog } from '../../../ui/form-dialog.tsx';
import { Listing } from '../../../ui/listing.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Table } from '../../../ui/table.tsx';
import { RelativeTime } from '../../../ui/time.tsx';
import { useProjectId } from '../project-frame/queries.ts';
import {
  toolsKey,
  type Upstream,
  type UpstreamTool,
  upstreamPath,
  upstreamToolsQuery,
  waitsForReview,
} from './queries.ts';
import { ReviewAllDialog, ReviewDialog } from './review-dialog.tsx';
import { ToolState } from './tool-state.tsx';

export function ServerTools({ upstream, mayManage }: { upstream: Upstream; mayManage: boolean }) {
  const projectId = useProjectId();
  const query = useQuery(upstreamToolsQuery(projectId, upstream.id));
  const [reviewed, setReviewed] = useState<{ name: string; hash: string } | null>(null);
  const [withdrawn, setWithdrawn] = useState<string | null>(null);
  /** A snapshot from when the person started to review: the list keeps changing meanwhile. */
  const [reviewedTogether, setReviewedTogether] = useState<readonly UpstreamTool[] | null>(null);
  const tools = query.data?.data ?? [];
  const fresh = tools.filter((tool) => tool.state === 'new' && waitsForReview(tool));
  const changed = tools.filter((tool) => tool.state === 'changed');
  const inReview = tools.find(({ name }) => name === reviewed?.name);
  const buttonsOf = (tool: UpstreamTool) =>
    mayManage && (
      <div className="button-row end">
        {tool.found && tool.obstacle === null && (
          <Button
            size="s"
            tone={waitsForReview(tool) ? 'primary' : 'secondary'}
            aria-label={`Review ${tool.name}`}
            onClick={() => setReviewed({ name: tool.name, hash: tool.found?.hash ?? '' })}
          >
            Review
          </Button>
        )}
        {tool.pinned !== null && (
          <Button
            size="s"
            tone="deny"
            aria-label={`Withdraw ${tool.name}`}
            onClick={() => setWithdrawn(tool.name)}
          >
            Withdraw
          </Button>
        )}
      </div>
    );
  return (
    <>
      {changed.length > 0 && (
        <Notice
          tone="warn"
          title={`${changed.length === 1 ? 'A tool is' : 'Tools are'} not what was approved.`}
        >
          <p>
            The server says something else of what is marked as changed. It is not offered until somebody
            looked.
          </p>
        </Notice>
      )}
      <Card
        title="Its tools"
        flush
        actions={
          mayManage &&
          fresh.length > 1 && (
            <Button tone="primary" onClick={() => setReviewedTogether(fresh)}>
              Review {fresh.length} new ones
            </Button>
          )
        }
      >
        <Listing
          query={query}
          count={tools.length}
          empty={{
            icon: 'laptop',
            title: 'No tools',
            lead:
              upstream.looked_at === null
                ? 'Nobody could ask the server for its tools yet.'
                : 'The server lists none.',
          }}
          isInCard
        >
          <Table
            caption="Tools of this server"
            rows={tools}
            rowKey={({ name }) => name}
            columns={{
              Tool: ({ name, found, pinned, obstacle }) => (
                <div className="tools-description">
                  <code>
                    <InertText text={name} />
                  </code>
                  <div className="soft small">
                    <InertText text={obstacle ?? textOf((pinned ?? found)?.content.description)} fold={140} />
                  </div>
                </div>
              ),
              State: (tool) => <ToolState tool={tool} />,
              Risk: ({ risk_tier }) => <RiskBadge tier={risk_tier} />,
              'Last change': ({ changed_at }) => <RelativeTime at={changed_at} />,
            }}
            actions={buttonsOf}
            actionsLabel="Actions"
          />
        </Listing>
      </Card>
      {inReview && (
        <ReviewDialog
          key={inReview.found?.hash}
          upstream={upstream}
          tool={inReview}
          isAnother={inReview.found?.hash !== reviewed?.hash}
          onClose={() => setReviewed(null)}
        />
      )}
      {reviewedTogether && (
        <ReviewAllDialog
          upstream={upstream}
          tools={reviewedTogether}
          onClose={() => setReviewedTogether(null)}
        />
      )}
      {withdrawn !== null && (
        <ConfirmDialog
          title={`Withdraw ${upstream.name}.${withdrawn}?`}
          confirmLabel="Withdraw the tool"
          change={() =>
            api.post(upstreamPath(projectId, upstream.id, '/tools/withdraw'), { tools: [withdrawn] })
          }
          done="Agents are offered it no more."
          touched={toolsKey(projectId)}
          onClose={() => setWithdrawn(null)}
        >
          <p>Agents are offered it no more. It can be looked at and approved again.</p>
        </ConfirmDialog>
      )}
    </>
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
