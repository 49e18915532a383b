/** A page that is fetched when it is shown for the first time, and is there at once from then on, so that Back finds its position. */
import type { ComponentType } from 'preact';
import { ErrorMessage, Loading } from '../dashboard/components.tsx';
import { useLoaded } from '../dashboard/loaded.ts';

export function lazyPage<Props extends object>(what: string, load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let fetched: ComponentType<Props> | undefined;
  const fetchPage = async () => {
    fetched = await load();
    return fetched;
  };
  return function Lazy(props: Props) {
    const page = useLoaded(fetchPage, [], fetched);
    if (page.error !== undefined) return <ErrorMessage error={page.error} onRetry={page.reload} />;
    if (!page.value) return <Loading what={what} />;
    return <page.value {...props} />;
  };
}
