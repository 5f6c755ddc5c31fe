import type { ConsoleIntent } from '@permitry/protocol/schemas';
import { useQuery } from '@tanstack/react-query';
import type { Static } from 'typebox';
import { api } from '../../api/client.ts';
import { InertText } from '../../inert-text/inert-text.tsx';
import { Hash } from '../../ui/hash.tsx';
import { ErrorPanel } from '../../ui/notice.tsx';
import { Skeleton } from '../../ui/waiting.tsx';

/** The parameters as they were hashed, whole: nobody decides on the beginning of a line. */
export function WholeParams({ intentId }: { intentId: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['intents', intentId],
    queryFn: ({ signal }) =>
      api.get<Static<typeof ConsoleIntent>>(`/console/intents/${intentId}`, { signal }),
  });
  if (error) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton lines={4} label="Reading the parameters" />;
  return (
    <div className="inbox-whole">
      <pre className="inbox-json">
        <InertText text={toLines(data.canonical_params)} fold={4000} />
      </pre>
      <div className="row small soft">
        Hash <Hash value={data.params_hash} what="the hash of the parameters" />
      </div>
    </div>
  );
}

function toLines(canonical: string): string {
  const params: unknown = JSON.parse(canonical);
  return Object.keys(params as object).length === 0 ? '{} (no parameters)' : JSON.stringify(params, null, 2);
}
