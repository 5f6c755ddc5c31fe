import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { toast } from '../../../ui/announce.tsx';
import { FormDialog } from '../../../ui/dialog.tsx';
import { Hash } from '../../../ui/hash.tsx';
import { ErrorPanel, Notice } from '../../../ui/notice.tsx';
import { RISK_TIERS } from '../../../ui/risk-choices.ts';
import { Select } from '../../../ui/select.tsx';
import { DefinitionLines } from './definition-lines.tsx';
import { toolsKey, type Upstream, type UpstreamTool, upstreamPath } from './queries.ts';

type RiskTier = UpstreamTool['risk_tier'];
interface Approval {
  name: string;
  hash: string;
  risk_tier?: RiskTier | null;
}

function useApproval(projectId: string, upstream: Upstream, onClose: () => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (tools: readonly Approval[]) =>
      api.post(upstreamPath(projectId, upstream.id, '/tools/approve'), { tools }),
    onSuccess: (_, tools) => {
      toast(
        tools.length === 1 ? 'Agents are offered it from now on.' : 'Agents are offered them from now on.',
      );
      onClose();
    },
    // Also when it was refused: it may be another by now, and what is shown has to be that one.
    onSettled: () => queryClient.invalidateQueries({ queryKey: toolsKey(projectId) }),
  });
}

/** One tool as it was found, beside what was approved of it, and the button that offers it. */
export function ReviewDialog({
  projectId,
  upstream,
  tool,
  isAnother,
  onClose,
}: {
  projectId: string;
  upstream: Upstream;
  tool: UpstreamTool;
  /** The server says something else of it than when the dialog was opened. */
  isAnother: boolean;
  onClose: () => void;
}) {
  const [tier, setTier] = useState<RiskTier | ''>(tool.risk_tier_set ?? '');
  const approve = useApproval(projectId, upstream, onClose);
  const { found, pinned } = tool;
  if (!found) return null;
  const isBack = pinned?.hash === found.hash;
  return (
    <FormDialog
      title={`Review ${tool.action ?? tool.name}`}
      submitLabel="Approve it as shown"
      width="wide"
      busy={approve.isPending}
      onClose={onClose}
      onSubmit={() =>
        approve.mutate([{ name: tool.name, hash: found.hash, risk_tier: tier === '' ? null : tier }])
      }
    >
      <div className="stack">
        <ErrorPanel error={approve.error} />
        {isAnother && (
          <Notice tone="warn" title="It changed while you read.">
            <p>What stands here is what the server says of it now.</p>
          </Notice>
        )}
        <Notice tone={pinned && !isBack ? 'warn' : 'info'}>
          {sayWhatIsShown(tool)} Agents read it as it stands here: look for instructions that are meant for
          them.
        </Notice>
        <DefinitionLines before={isBack ? null : pinned} after={found} />
        <p className="soft small">
          What you approve: <Hash value={found.hash} what="the hash of the definition" />
        </p>
        <Select
          label="Risk of its requests"
          hint="At least this; policy and agents can only raise it."
          value={tier}
          options={[
            { value: '', label: 'As the server’s tools have it' },
            ...RISK_TIERS.map((value) => ({ value, label: value })),
          ]}
          onChange={(event) => setTier(event.target.value as RiskTier | '')}
        />
      </div>
    </FormDialog>
  );
}

function sayWhatIsShown({ pinned, found }: UpstreamTool): string {
  if (!pinned) return 'This is what the server says of the tool.';
  if (pinned.hash === found?.hash)
    return 'The server said something else of this tool, and says again what was approved.';
  return 'The server says something else than was approved; until somebody approves it, the tool is not offered.';
}

/** All tools that nobody has looked at yet, to be looked at in one go. */
export function ReviewAllDialog({
  projectId,
  upstream,
  tools,
  onClose,
}: {
  projectId: string;
  upstream: Upstream;
  tools: readonly UpstreamTool[];
  onClose: () => void;
}) {
  const approve = useApproval(projectId, upstream, onClose);
  const shown = tools.flatMap(({ name, action, found }) => (found ? [{ name, action, found }] : []));
  return (
    <FormDialog
      title={`Review ${shown.length} new tools`}
      submitLabel={`Approve these ${shown.length} as shown`}
      width="wide"
      busy={approve.isPending}
      onClose={onClose}
      onSubmit={() => approve.mutate(shown.map(({ name, found }) => ({ name, hash: found.hash })))}
    >
      <div className="stack">
        <ErrorPanel error={approve.error} />
        <Notice>
          This is what the server says of its tools. Agents read it as it stands here: look for instructions
          that are meant for them.
        </Notice>
        {shown.map(({ name, action, found }) => (
          <details key={name} open={shown.length < 4}>
            <summary>
              <code>{action}</code>
            </summary>
            <DefinitionLines before={null} after={found} />
          </details>
        ))}
      </div>
    </FormDialog>
  );
}
