import { Observable } from 'rxjs';
import { Listener } from '../operators/kit/Listener.ts';

/** The same values, to somebody who takes lazy rows. */
export function lazily<T>(source: Observable<T>): Observable<T> {
  return new Observable((destination) => source.subscribe(new Listener(destination, true)));
}
