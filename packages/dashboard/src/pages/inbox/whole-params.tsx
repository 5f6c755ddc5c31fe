import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { ParameterTree } from '../../parameter-tree/parameter-tree.tsx';
import { Hash } from '../../ui/hash.tsx';
import { ErrorPanel, Notice } from '../../ui/notice.tsx';
import { Skeleton } from '../../ui/waiting.tsx';
import { checkHashes, type ShownIntent } from '../approve/check-hashes.ts';

/** The same function each time: hashed again when the intent is read again, not with every letter of a reason. */
function withCheck(intent: ShownIntent) {
  return { intent, check: checkHashes(intent) };
}

function useWholeIntent(intentId: string) {
  return useQuery({
    queryKey: ['intents', intentId],
    queryFn: ({ signal }) => api.get<ShownIntent>(`/console/intents/${intentId}`, { signal }),
    select: withCheck,
  });
}

/** The hash of what is shown, once it is shown; undefined where it is not what was asked for. */
export function useShownHash(intentId: string): string | undefined {
  const check = useWholeIntent(intentId).data?.check;
  return check?.kind === 'same' ? check.intentHash : undefined;
}

/** The parameters as they were hashed, whole: nobody decides on the beginning of a line. */
export function WholeParams({ intentId }: { intentId: string }) {
  const { data, error, refetch } = useWholeIntent(intentId);
  if (error) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton lines={4} label="Reading the parameters" />;
  const { intent, check } = data;
  return (
    <div className="inbox-whole">
      {check.kind === 'different' && (
        <Notice tone="bad" title="Do not approve this: what is shown is not what was hashed">
          {check.what}
        </Notice>
      )}
      {check.kind === 'erased' ? (
        <p className="soft">Erased; hashes and outcome stay.</p>
      ) : (
        <ParameterTree params={check.params} label="Parameters" />
      )}
      <div className="row small soft">
        Hash <Hash value={intent.intent_hash} what="the hash of the request" />
      </div>
    </div>
  );
}
