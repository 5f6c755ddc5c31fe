import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { LinkButton } from '../../ui/button.tsx';

interface Waiting {
  data: { id: string; action: string }[];
}

/** The way on: the next request that waits for this person, or the inbox. */
export function NextOne({ id, isFirstThing }: { id: string; isFirstThing: boolean }) {
  const { data } = useQuery({
    queryKey: ['inbox', 'next', id],
    queryFn: ({ signal }) =>
      api.get<Waiting>('/console/inbox', { signal, query: { can_decide: true, limit: 2 } }),
  });
  const next = data?.data.find((item) => item.id !== id);
  return (
    <div className="approve-next">
      {next && (
        <LinkButton tone={isFirstThing ? 'primary' : 'secondary'} to={`/approve/${next.id}`}>
          Next: {next.action}
        </LinkButton>
      )}
      <LinkButton to="/inbox">To the inbox</LinkButton>
    </div>
  );
}
