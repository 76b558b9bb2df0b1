// Whether forks may be latent in this process.
#ifndef NOPAL_DEQUE_LATENT_MODE_HPP
#define NOPAL_DEQUE_LATENT_MODE_HPP

extern "C" {
/// Not 0 once code with latent forks has said that it is there, and this system can promote them. Set
/// once, before such code forks; relaxed, since it is read again at every slow push.
extern unsigned char nopal_latent_forks_used __attribute__((visibility("hidden")));
}

#endif
