// SPDX-License-Identifier: MIT
// FEWEDITS_TARGET_CLONES before a function compiles it twice, for every x86-64 processor and for
// those with AVX2 (which brings popcnt), and lets the loader choose. For whole-number loops only:
// both versions give the same answer.
#pragma once

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define FEWEDITS_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FEWEDITS_SANITIZED
#endif

// The loader would choose before the sanitizers' run-time is up.
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) && \
    !defined(FEWEDITS_SANITIZED)
#define FEWEDITS_TARGET_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define FEWEDITS_TARGET_CLONES
#endif
